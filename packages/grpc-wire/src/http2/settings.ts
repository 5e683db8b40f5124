import { ERROR_CODE, MAX_FRAME_BYTES, MAX_WINDOW_BYTES, readUint32, SETTING } from './protocol.ts';

const ENTRY_BYTES = 6;
const LARGEST_MAX_FRAME_BYTES = 2 ** 24 - 1;

/** The peer's settings that affect us. The others do not: we send no frame over 16 KiB and never push. */
export interface PeerSettings {
  readonly initialWindow: number | undefined;
  /** The smallest table size in the payload: a table that shrinks and grows again needs a size update, too. */
  readonly headerTable: number | undefined;
}

export interface SettingsFault {
  readonly code: number;
  readonly reason: string;
}

/**
 * `bytes[start..end)` is the payload of SETTINGS, whose length is a multiple of six. The last of several equal entries
 * counts.
 */
export function readSettings(bytes: Uint8Array, start: number, end: number): PeerSettings | SettingsFault {
  let initialWindow: number | undefined;
  let headerTable: number | undefined;
  for (let at = start; at < end; at += ENTRY_BYTES) {
    const id = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
    const value = readUint32(bytes, at + 2);
    if (id === SETTING.enablePush && value > 1) {
      return { code: ERROR_CODE.protocol, reason: 'an ENABLE_PUSH other than 0 and 1' };
    }
    if (id === SETTING.maxFrameSize && (value < MAX_FRAME_BYTES || value > LARGEST_MAX_FRAME_BYTES)) {
      return { code: ERROR_CODE.protocol, reason: 'a MAX_FRAME_SIZE out of bounds' };
    }
    if (id === SETTING.headerTableSize) headerTable = Math.min(headerTable ?? value, value);
    if (id !== SETTING.initialWindowSize) continue;
    if (value > MAX_WINDOW_BYTES)
      return { code: ERROR_CODE.flowControl, reason: 'an INITIAL_WINDOW_SIZE out of bounds' };
    initialWindow = value;
  }
  return { initialWindow, headerTable };
}
