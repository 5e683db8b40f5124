import { dataFrame, frame, headersFrame, resetFrame, settingsFrame, windowUpdate } from '../testing/frames.ts';
import {
  ANSWERED,
  BLOCK,
  CALL,
  ECHO,
  FLOW_CONTROL,
  FRAME_SIZE,
  open,
  PROTOCOL,
  testCases,
  type WireCase,
} from '../testing/wire-cases.ts';
import { ERROR_CODE, FLAG, FRAME, SETTING } from './protocol.ts';

const { endHeaders: END_HEADERS, padded: PADDED, priority: PRIORITY } = FLAG;

const CASES: readonly WireCase[] = [
  { section: '6.1', title: 'refuses DATA on stream 0', send: [dataFrame(0, ECHO)], expect: PROTOCOL },
  {
    section: '6.1',
    title: 'refuses a padding longer than DATA',
    send: [open(1), dataFrame(1, Buffer.of(5, 0, 0, 0, 0), PADDED)],
    expect: PROTOCOL,
  },
  {
    section: '6.1',
    title: 'takes DATA that is padding alone',
    send: [open(1), dataFrame(1, Buffer.of(4, 0, 0, 0, 0), PADDED), dataFrame(1, ECHO)],
    expect: ANSWERED,
  },
  {
    section: '6.1',
    title: 'refuses padded DATA without its length',
    send: [open(1), dataFrame(1, Buffer.alloc(0), PADDED)],
    expect: FRAME_SIZE,
  },
  {
    section: '6.2',
    title: 'takes padded HEADERS with a priority',
    send: [
      headersFrame(
        1,
        Buffer.concat([Buffer.of(3), Buffer.alloc(5), BLOCK, Buffer.alloc(3)]),
        END_HEADERS | PADDED | PRIORITY,
      ),
      dataFrame(1, ECHO),
    ],
    expect: ANSWERED,
  },
  {
    section: '6.2',
    title: 'refuses a padding longer than HEADERS',
    send: [headersFrame(1, Buffer.of(200, 1, 2), END_HEADERS | PADDED)],
    expect: PROTOCOL,
  },
  {
    section: '6.2',
    title: 'refuses HEADERS too short for their priority',
    send: [headersFrame(1, Buffer.of(1, 2), END_HEADERS | PRIORITY)],
    expect: FRAME_SIZE,
  },
  { section: '6.2', title: 'refuses HEADERS on stream 0', send: [headersFrame(0, BLOCK)], expect: PROTOCOL },
  {
    section: '6.3',
    title: 'refuses PRIORITY on stream 0',
    send: [frame(FRAME.priority, 0, 0, Buffer.alloc(5))],
    expect: PROTOCOL,
  },
  {
    section: '6.3',
    title: 'resets the stream of a PRIORITY of a wrong size',
    send: [open(1), frame(FRAME.priority, 0, 1, Buffer.alloc(4))],
    expect: { streamError: ERROR_CODE.frameSize },
  },
  { section: '6.4', title: 'refuses RST_STREAM on stream 0', send: [resetFrame(0, 8)], expect: PROTOCOL },
  {
    section: '6.4',
    title: 'refuses RST_STREAM of a wrong size',
    send: [open(1), frame(FRAME.rstStream, 0, 1, Buffer.alloc(3))],
    expect: FRAME_SIZE,
  },
  {
    section: '6.5',
    title: 'refuses a SETTINGS acknowledgement with a payload',
    send: [frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(6))],
    expect: FRAME_SIZE,
  },
  { section: '6.5', title: 'refuses SETTINGS on a stream', send: [frame(FRAME.settings, 0, 1)], expect: PROTOCOL },
  {
    section: '6.5',
    title: 'refuses SETTINGS of a wrong size',
    send: [frame(FRAME.settings, 0, 0, Buffer.alloc(5))],
    expect: FRAME_SIZE,
  },
  {
    section: '6.5.2',
    title: 'refuses ENABLE_PUSH 2',
    send: [settingsFrame([[SETTING.enablePush, 2]])],
    expect: PROTOCOL,
  },
  {
    section: '6.5.2',
    title: 'refuses an initial window over 2^31-1',
    send: [settingsFrame([[SETTING.initialWindowSize, 2 ** 31]])],
    expect: FLOW_CONTROL,
  },
  {
    section: '6.5.2',
    title: 'refuses a frame size under 16,384',
    send: [settingsFrame([[SETTING.maxFrameSize, 16_383]])],
    expect: PROTOCOL,
  },
  {
    section: '6.5.2',
    title: 'refuses a frame size over 2^24-1',
    send: [settingsFrame([[SETTING.maxFrameSize, 2 ** 24]])],
    expect: PROTOCOL,
  },
  {
    section: '6.5.2',
    title: 'ignores settings it does not know',
    send: [settingsFrame([[0xabcd, 7]]), ...CALL],
    expect: ANSWERED,
  },
  {
    section: '6.6',
    title: 'refuses PUSH_PROMISE',
    send: [open(1), frame(FRAME.pushPromise, END_HEADERS, 1, Buffer.alloc(8))],
    expect: PROTOCOL,
  },
  {
    section: '6.7',
    title: 'refuses PING on a stream',
    send: [frame(FRAME.ping, 0, 1, Buffer.alloc(8))],
    expect: PROTOCOL,
  },
  {
    section: '6.7',
    title: 'refuses PING of a wrong size',
    send: [frame(FRAME.ping, 0, 0, Buffer.alloc(6))],
    expect: FRAME_SIZE,
  },
  {
    section: '6.7',
    title: 'ignores an acknowledgement of no PING',
    send: [frame(FRAME.ping, FLAG.ack, 0, Buffer.alloc(8)), ...CALL],
    expect: ANSWERED,
  },
  {
    section: '6.8',
    title: 'refuses GOAWAY on a stream',
    send: [frame(FRAME.goaway, 0, 1, Buffer.alloc(8))],
    expect: PROTOCOL,
  },
  {
    section: '6.8',
    title: 'answers calls of a peer that said GOAWAY',
    send: [open(1), frame(FRAME.goaway, 0, 0, Buffer.alloc(8)), dataFrame(1, ECHO)],
    expect: ANSWERED,
  },
  {
    section: '6.9',
    title: 'refuses WINDOW_UPDATE of 0 for the connection',
    send: [windowUpdate(0, 0)],
    expect: PROTOCOL,
  },
  {
    section: '6.9',
    title: 'resets the stream of a WINDOW_UPDATE of 0',
    send: [open(1), windowUpdate(1, 0)],
    expect: { streamError: ERROR_CODE.protocol },
  },
  {
    section: '6.9',
    title: 'refuses WINDOW_UPDATE of a wrong size',
    send: [frame(FRAME.windowUpdate, 0, 0, Buffer.alloc(3))],
    expect: FRAME_SIZE,
  },
  {
    section: '6.9.1',
    title: 'refuses a window of the connection over 2^31-1',
    send: [windowUpdate(0, 2 ** 31 - 1)],
    expect: FLOW_CONTROL,
  },
  {
    section: '6.9.1',
    title: 'resets a stream whose window goes over 2^31-1',
    send: [open(1), windowUpdate(1, 2 ** 31 - 1)],
    expect: { streamError: ERROR_CODE.flowControl },
  },
  {
    section: '6.9.2',
    title: 'refuses settings that lift a stream over 2^31-1',
    send: [open(1), windowUpdate(1, 2 ** 31 - 1 - 65_535), settingsFrame([[SETTING.initialWindowSize, 65_536]])],
    expect: FLOW_CONTROL,
  },
  {
    section: '6.10',
    title: 'takes a header block in many pieces',
    send: [
      headersFrame(1, BLOCK.subarray(0, 5), 0),
      ...[...BLOCK.subarray(5)].map((byte) => frame(FRAME.continuation, 0, 1, Buffer.of(byte))).slice(0, 40),
      frame(FRAME.continuation, END_HEADERS, 1, BLOCK.subarray(45)),
      dataFrame(1, ECHO),
    ],
    expect: ANSWERED,
  },
  {
    section: '6.10',
    title: 'refuses CONTINUATION behind a whole block',
    send: [open(1), frame(FRAME.continuation, END_HEADERS, 1)],
    expect: PROTOCOL,
  },
  {
    section: '6.10',
    title: 'refuses CONTINUATION on stream 0',
    send: [open(1, 0), frame(FRAME.continuation, END_HEADERS, 0)],
    expect: PROTOCOL,
  },
];

testCases('RFC 9113, types of frames', CASES);
