import { create, toBinary } from '@bufbuild/protobuf';
import { extProc } from '@flotilla/proto';
import { HOST, KEY } from './describe-policy.ts';

/** Encodes what Envoy sends for a browser's request. */
export function encodeRequest(options: { readonly path?: string; readonly key?: string } = {}): Buffer {
  const { path = '/v1/users/42', key = KEY } = options;
  const headers = Object.entries({
    ':authority': HOST,
    ':path': path,
    ':method': 'GET',
    ':scheme': 'https',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'x-forwarded-for': '198.51.100.23,192.0.2.17',
    'x-forwarded-proto': 'https',
    'x-request-id': '2b7f5a1e-7d0c-4d5e-9b0e-0b8f6f3f6a51',
    'x-api-key': key,
  }).map(([name, value]) => ({ key: name, rawValue: Buffer.from(value) }));
  const message = create(extProc.ProcessingRequestSchema, {
    request: { case: 'requestHeaders', value: { headers: { headers }, endOfStream: true } },
    attributes: { 'envoy.filters.http.ext_proc': { 'source.address': '192.0.2.17:40022' } },
  });
  return Buffer.from(toBinary(extProc.ProcessingRequestSchema, message));
}

/** One gRPC message with its five bytes of framing. */
export function toGrpcFrame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
