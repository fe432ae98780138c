/** Where there is no import yet: how one comes about, with this vendor's own names in it. */
import { vendor } from '../api/session.js'
import { Empty } from '../ui/states.js'

export function FirstImport ({ onStart }: { onStart: () => void }) {
  const id = vendor.value?.id ?? 'VENDOR'
  return (
    <Empty title='Nothing has been imported yet'>
      <p>A catalog is a file with one JSON product a line, gzipped or not. Drop one here, or send it by SFTP and let the job begin from there.</p>
      <button type='button' class='primary' onClick={onStart}>Start an import</button>
      <p class='quiet'>By SFTP, with a key that is registered for {id}:</p>
      <pre>sftp -P 2222 {id}@{location.hostname} {'<<<'} 'put products-full.jsonl.gz incoming/'</pre>
      <p class='quiet'>Upload, start and follow in one command:</p>
      <pre>catalog push products-full.jsonl.gz --mode REPLACE \{'\n'}  --url {location.origin} --key "$KEY" \{'\n'}  --sftp {id}@{location.hostname}:2222 --identity ~/.ssh/id_ed25519</pre>
    </Empty>
  )
}
