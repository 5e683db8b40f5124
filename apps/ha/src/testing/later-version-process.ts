// Sends heartbeats of a standby whose version of the protocol has more fields. Its argument is the file of the member.
import { createHmac } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { configFileSchema, DATAGRAM_BYTES, encodeDatagram } from '@flotilla/ha';
import { keysOf } from '../config.ts';

const VERSION_AT = 4;
const HMAC_BYTES = 32;
const [, , file = ''] = process.argv;
const config = configFileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
const [key] = keysOf(config);
const [path] = config.paths;
if (!key || !path) throw new Error('the file has neither key nor path');
const socket = createSocket('udp4');
const boot = Math.floor(Date.now() / 1000);
let sequence = 0;

function encodeLater(): Buffer {
  if (!key) throw new Error('no key');
  sequence += 1;
  const beat = {
    slot: config.slot,
    role: 'standby',
    epoch: 0,
    priority: config.priority,
    isReady: true,
    isHolding: false,
    isReachable: true,
    isFencing: true,
    isPinned: false,
    hearsPeer: true,
    wantsHandover: false,
    isPrepared: false,
  } as const;
  const message = { beat, boot, sequence, configRev: config.config_rev, sentAtMs: Date.now(), echo: undefined };
  const body = encodeDatagram(message, config.pair_id, key).subarray(0, DATAGRAM_BYTES - HMAC_BYTES);
  body.writeUInt8(2, VERSION_AT);
  const longer = Buffer.concat([body, Buffer.from('more fields')]);
  return Buffer.concat([longer, createHmac('sha256', key.secret).update(longer).digest()]);
}

socket.bind(config.hb.port, path.local, () => {
  setInterval(() => socket.send(encodeLater(), config.hb.port, path.peer), config.hb.interval_ms);
});
