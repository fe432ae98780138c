/** A collector of traces that takes everything and keeps nothing. Tells its URL once it listens. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

if (process.send === undefined) throw new Error('collector is run by a bench only')
const server = createServer((request, response) => {
  request.resume().once('end', () => { response.writeHead(200, { 'content-type': 'application/json' }).end('{}') })
}).listen(0, '127.0.0.1', () => { process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) })
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
})
