// Serves the DynamoDB tables in one folder on a free loopback port and prints that port.
// Ends on SIGTERM, and when stdin closes: then the process that started it is gone, however it went.
'use strict'

const dynalite = require('dynalite')

const server = dynalite({ path: process.argv[2], createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
const stop = () => server.close(() => process.exit(0))

server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.once('SIGTERM', stop)
process.stdin.once('end', stop).resume()
