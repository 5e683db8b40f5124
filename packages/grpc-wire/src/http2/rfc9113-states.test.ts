import { dataFrame, frame, grpcMessage, headersFrame, resetFrame, windowUpdate } from '../testing/frames.ts';
import {
  ANSWERED,
  BLOCK,
  CALL,
  COMPRESSION,
  ECHO,
  FRAME_SIZE,
  LATER_BLOCK,
  open,
  PROTOCOL,
  testCases,
  type WireCase,
} from '../testing/wire-cases.ts';
import { ERROR_CODE, FLAG, FRAME } from './protocol.ts';

const { endStream: END_STREAM, endHeaders: END_HEADERS, padded: PADDED, priority: PRIORITY } = FLAG;

const CASES: readonly WireCase[] = [
  {
    section: '4.1',
    title: 'ignores a frame of unknown type',
    send: [frame(0x16, 0xff, 0, Buffer.alloc(9)), ...CALL],
    expect: ANSWERED,
  },
  {
    section: '4.1',
    title: 'ignores flags it does not know',
    send: [open(1, END_HEADERS | (0xd2 & ~PADDED & ~PRIORITY)), dataFrame(1, ECHO, 0xf6)],
    expect: ANSWERED,
  },
  {
    section: '4.1',
    title: 'ignores the reserved bit of a stream id',
    send: [frame(FRAME.headers, END_HEADERS, 0x8000_0001, BLOCK), dataFrame(1, ECHO)],
    expect: ANSWERED,
  },
  {
    section: '4.2',
    title: 'takes a frame of 16,384 bytes',
    send: [open(1), dataFrame(1, grpcMessage(Buffer.concat([Buffer.from('echo:'), Buffer.alloc(16_374)])))],
    expect: ANSWERED,
  },
  {
    section: '4.2',
    title: 'refuses a frame of 16,385 bytes',
    send: [open(1), dataFrame(1, Buffer.alloc(16_385))],
    expect: FRAME_SIZE,
  },
  {
    section: '4.2',
    title: 'refuses an unknown frame over the size',
    send: [frame(0x16, 0, 0, Buffer.alloc(16_385))],
    expect: FRAME_SIZE,
  },
  {
    section: '4.3',
    title: 'refuses a header block that is no HPACK',
    send: [headersFrame(1, Buffer.from('ffffffffffffffff', 'hex'))],
    expect: COMPRESSION,
  },
  {
    section: '4.3',
    title: 'refuses broken HPACK in trailers',
    send: [open(1), headersFrame(1, Buffer.of(0x80), END_HEADERS | END_STREAM)],
    expect: COMPRESSION,
  },
  {
    section: '4.3',
    title: 'refuses PRIORITY within a header block',
    send: [open(1, 0), frame(FRAME.priority, 0, 1, Buffer.alloc(5))],
    expect: PROTOCOL,
  },
  {
    section: '4.3',
    title: 'refuses HEADERS of another stream within a header block',
    send: [open(1, 0), open(3)],
    expect: PROTOCOL,
  },
  {
    section: '4.3',
    title: 'refuses an unknown frame within a header block',
    send: [open(1, 0), frame(0x16, 0, 1)],
    expect: PROTOCOL,
  },
  { section: '5.1', title: 'idle: refuses DATA', send: [dataFrame(1, ECHO)], expect: PROTOCOL },
  { section: '5.1', title: 'idle: refuses RST_STREAM', send: [resetFrame(1, 8)], expect: PROTOCOL },
  { section: '5.1', title: 'idle: refuses WINDOW_UPDATE', send: [windowUpdate(1, 10)], expect: PROTOCOL },
  {
    section: '5.1',
    title: 'idle: takes PRIORITY',
    send: [frame(FRAME.priority, 0, 7, Buffer.alloc(5)), ...CALL],
    expect: ANSWERED,
  },
  {
    section: '5.1',
    title: 'half-closed (remote): refuses DATA',
    send: [open(1), dataFrame(1, grpcMessage('big:70000'), END_STREAM), dataFrame(1, ECHO)],
    expect: { streamError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'half-closed (remote): refuses HEADERS',
    send: [
      open(1),
      dataFrame(1, grpcMessage('big:70000'), END_STREAM),
      headersFrame(1, LATER_BLOCK, END_HEADERS | END_STREAM),
    ],
    expect: { streamError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'half-closed (local): takes DATA and WINDOW_UPDATE',
    send: [
      open(1),
      dataFrame(1, grpcMessage('last:a')),
      dataFrame(1, ECHO),
      windowUpdate(1, 1),
      open(3),
      dataFrame(3, ECHO),
    ],
    expect: { answered: 3 },
  },
  {
    section: '5.1',
    title: 'closed by a reset: refuses DATA',
    send: [open(1), resetFrame(1, 8), dataFrame(1, ECHO)],
    expect: { streamError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'closed by a reset: refuses HEADERS',
    send: [open(1), resetFrame(1, 8), headersFrame(1, LATER_BLOCK)],
    expect: { connectionError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'closed: refuses HEADERS',
    send: [open(1, END_HEADERS | END_STREAM), headersFrame(1, LATER_BLOCK)],
    expect: { connectionError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'closed: refuses DATA',
    send: [open(1, END_HEADERS | END_STREAM), dataFrame(1, ECHO)],
    expect: { streamError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'closed: ignores WINDOW_UPDATE and RST_STREAM',
    send: [open(1, END_HEADERS | END_STREAM), windowUpdate(1, 5), resetFrame(1, 0), open(3), dataFrame(3, ECHO)],
    expect: { answered: 3 },
  },
  { section: '5.1.1', title: 'refuses an even stream id', send: [headersFrame(2, BLOCK)], expect: PROTOCOL },
  {
    section: '5.1.1',
    title: 'refuses a stream id lower than an earlier one',
    send: [headersFrame(5, BLOCK), open(3)],
    expect: PROTOCOL,
  },
  {
    section: '5.5',
    title: 'refuses CONTINUATION of another stream',
    send: [open(1, 0), frame(FRAME.continuation, END_HEADERS, 3)],
    expect: PROTOCOL,
  },
];

testCases('RFC 9113, frames and streams', CASES);
