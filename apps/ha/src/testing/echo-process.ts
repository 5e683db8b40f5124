// Answers every datagram with the name of this member.
import { createSocket } from 'node:dgram';

const [, , name = ''] = process.argv;
const socket = createSocket('udp4');
socket.on('message', (_, { address, port }) => socket.send(name, port, address, () => undefined));
socket.bind(9000, '0.0.0.0');
