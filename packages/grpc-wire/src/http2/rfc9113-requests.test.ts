import { ECHO_PATH } from '../testing/echo-service.ts';
import { dataFrame, headersFrame, requestFields } from '../testing/frames.ts';
import { encodeBlock, encodeField, type Field } from '../testing/hpack-encoder.ts';
import { ECHO, open, SIZE_0, testCases, type WireCase } from '../testing/wire-cases.ts';
import { ERROR_CODE, FLAG } from './protocol.ts';

const { endStream: END_STREAM, endHeaders: END_HEADERS, padded: PADDED } = FLAG;

function withFields(change: (fields: Field[]) => readonly Field[]): Buffer {
  return headersFrame(1, Buffer.concat([SIZE_0, encodeBlock(change(requestFields(ECHO_PATH)))]));
}

function malformed(section: string, title: string, change: (fields: Field[]) => readonly Field[]): WireCase {
  return { section, title, send: [withFields(change)], expect: { streamError: ERROR_CODE.protocol } };
}

const CASES: readonly WireCase[] = [
  {
    section: '8.1',
    title: 'takes trailers of a request',
    send: [open(1), dataFrame(1, ECHO), headersFrame(1, encodeField(['x-sum', '1']), END_HEADERS | END_STREAM)],
    expect: { status: '0' },
  },
  {
    section: '8.1',
    title: 'resets a stream whose trailers do not end it',
    send: [open(1), headersFrame(1, encodeField(['x-sum', '1']))],
    expect: { streamError: ERROR_CODE.protocol },
  },
  {
    section: '8.1',
    title: 'resets a stream with a pseudo-header in its trailers',
    send: [open(1), headersFrame(1, encodeField([':path', '/']), END_HEADERS | END_STREAM)],
    expect: { streamError: ERROR_CODE.protocol },
  },
  malformed('8.2', 'resets a request with an upper-case name', (fields) => [...fields, ['X-Upper', '1']]),
  malformed('8.2.1', 'resets a request with a blank in a name', (fields) => [...fields, ['x y', '1']]),
  malformed('8.2.1', 'resets a request with a colon in a name', (fields) => [...fields, ['x:y', '1']]),
  malformed('8.2.1', 'resets a request with an empty name', (fields) => [...fields, ['', '1']]),
  malformed('8.2.1', 'resets a request with a line feed in a value', (fields) => [...fields, ['x', 'a\nb']]),
  malformed('8.2.1', 'resets a request with a NUL in a value', (fields) => [...fields, ['x', 'a\0b']]),
  malformed('8.2.1', 'resets a request with a blank before a value', (fields) => [...fields, ['x', ' a']]),
  malformed('8.2.1', 'resets a request with a tab behind a value', (fields) => [...fields, ['x', 'a\t']]),
  ...['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade'].map((name) =>
    malformed('8.2.2', `resets a request with ${name}`, (fields) => [...fields, [name, 'x']]),
  ),
  malformed('8.2.2', 'resets a request with a te other than trailers', (fields) => [...fields, ['te', 'gzip']]),
  malformed('8.3', 'resets a request with an unknown pseudo-header', (fields) => [[':protocol', 'x'], ...fields]),
  malformed('8.3', 'resets a request with a pseudo-header of responses', (fields) => [[':status', '200'], ...fields]),
  malformed('8.3', 'resets a request with a pseudo-header behind others', (fields) => [
    ...fields.slice(1),
    [':method', 'POST'],
  ]),
  ...[':method', ':scheme', ':path'].flatMap((name) => [
    malformed('8.3.1', `resets a request without ${name}`, (fields) => fields.filter(([field]) => field !== name)),
    malformed('8.3.1', `resets a request with ${name} twice`, (fields) => [
      ...fields.filter(([field]) => field === name),
      ...fields,
    ]),
  ]),
  malformed('8.3.1', 'resets a request with an empty :path', (fields) =>
    fields.map(([name, value]) => [name, name === ':path' ? '' : value]),
  ),
  malformed('8.5', 'resets a CONNECT with a :path', (fields) =>
    fields.map(([name, value]) => [name, name === ':method' ? 'CONNECT' : value]),
  ),
  malformed('8.6', 'resets a request with a content-length that is no number', (fields) => [
    ...fields,
    ['content-length', '-1'],
  ]),
  malformed('8.6', 'resets a request with two content-lengths', (fields) => [
    ...fields,
    ['content-length', '1'],
    ['content-length', '2'],
  ]),
  {
    section: '8.6',
    title: 'resets a stream with more DATA than its content-length',
    send: [withFields((fields) => [...fields, ['content-length', '3']]), dataFrame(1, ECHO)],
    expect: { streamError: ERROR_CODE.protocol },
  },
  {
    section: '8.6',
    title: 'resets a stream with less DATA than its content-length',
    send: [
      withFields((fields) => [...fields, ['content-length', '12']]),
      dataFrame(1, ECHO),
      dataFrame(1, Buffer.alloc(0), END_STREAM),
    ],
    expect: { streamError: ERROR_CODE.protocol },
  },
  {
    section: '8.6',
    title: 'takes DATA of its content-length, padding not counted',
    send: [
      withFields((fields) => [...fields, ['content-length', String(ECHO.length)]]),
      dataFrame(1, Buffer.concat([Buffer.of(2), ECHO, Buffer.alloc(2)]), END_STREAM | PADDED),
    ],
    expect: { status: '0' },
  },
];

testCases('RFC 9113, requests', CASES);
