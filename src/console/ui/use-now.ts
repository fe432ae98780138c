/** The time, which goes on while something runs. */
import { useEffect, useState } from 'preact/hooks'

export function useNow (isRunning: boolean, everyMs = 1_000): number {
  const [nowMs, setNow] = useState(Date.now())
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => { setNow(Date.now()) }, everyMs)
    return () => { clearInterval(timer) }
  }, [isRunning])
  return nowMs
}
