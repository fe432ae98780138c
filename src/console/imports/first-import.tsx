/** Where there is no import yet: how one comes about, with this vendor's own names in it. */
import { sftpAddress } from '../api/operations.js'
import { vendor } from '../api/session.js'
import { Empty, Skeleton } from '../ui/states.js'
import { useAnswer } from '../ui/use-answer.js'
import { uploadLines } from './upload-lines.js'

export function FirstImport ({ onStart }: { onStart: () => void }) {
  const id = vendor.value?.id ?? 'VENDOR'
  const { data, isLoading } = useAnswer(sftpAddress, {})
  const address = data?.sftpAddress ?? null
  const lines = uploadLines(id, address, location)
  return (
    <Empty title='Nothing has been imported yet'>
      <p>A catalog is a file with one JSON product a line, gzipped or not. Drop one here, or send it by SFTP and let the job begin from there.</p>
      <button type='button' class='primary' onClick={onStart}>Start an import</button>
      {data === null && isLoading
        ? <Skeleton rows={4} />
        : (
          <>
            <p class='quiet'>By SFTP{address === null && ', to your SFTP host'}, with a key that is registered for {id}:</p>
            <pre>{lines.sftp}</pre>
            <p class='quiet'>Upload, start and follow in one command:</p>
            <pre>{lines.push}</pre>
          </>
          )}
    </Empty>
  )
}
