// Answers every datagram and every request with the name of this member.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';

const [, , name = ''] = process.argv;
const socket = createSocket('udp4');
socket.on('message', (_, { address, port }) => socket.send(name, port, address, () => undefined));
socket.bind(9000, '0.0.0.0');
createServer((_, response) => response.end(name)).listen(9000, '::');
