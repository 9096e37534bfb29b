// Serves the DynamoDB tables in one folder on a free loopback port and prints that port.
// Ends on SIGTERM, and when stdin closes: then the process that started it is gone, however it went.
'use strict'

const dynalite = require('dynalite')

const server = dynalite({ path: process.argv[2], createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })

// Dynalite checks no signature and lets pages of any origin read its answers. A browser says where a request comes from,
// and under which name it found us (DNS rebinding); what is meant to use the tables is no browser.
const answer = server.listeners('request')
server.removeAllListeners('request')
server.on('request', (request, response) => {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined || site !== undefined || !/^(127\.0\.0\.1|localhost):\d+$/.test(host)) {
    request.resume()
    response.writeHead(403).end()
    return
  }
  for (const each of answer) each.call(server, request, response)
})

const stop = () => server.close(() => process.exit(0))

server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.once('SIGTERM', stop)
process.stdin.once('end', stop).resume()
