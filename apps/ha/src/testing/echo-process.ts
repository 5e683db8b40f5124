// Answers every datagram and every request with the name of this member. A request for /slow gets no answer.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';

const [, , name = ''] = process.argv;
const socket = createSocket('udp4');
socket.on('message', (_, { address, port }) => socket.send(name, port, address, () => undefined));
socket.bind(9000, '0.0.0.0');
createServer(({ url }, response) => {
  if (url !== '/slow') response.end(name);
}).listen(9000, '::');
