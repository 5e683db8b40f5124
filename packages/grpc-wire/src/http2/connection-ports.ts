import type { WireCounters, WireLimitName } from './counters.ts';
import type { FloodGuard } from './flood-guard.ts';
import type { WireLimits } from './limits.ts';
import type { RequestVerdict } from './request-verdict.ts';
import type { Sender } from './sender.ts';
import type { Http2Stream } from './stream.ts';
import type { RecentIds, StreamTable } from './stream-table.ts';

/** The parts of the connection that every frame reader needs. */
interface FramePort {
  readonly sender: Sender<Http2Stream>;
  readonly streams: StreamTable<Http2Stream>;
  /** Ends the connection with an error (RFC 9113 section 5.4.1). */
  fail(code: number, reason: string): void;
  /** Reports a stream error of the peer (section 5.4.2); the stream may be gone. */
  streamError(id: number, code: number, reason: string): void;
  /** Takes the work of a frame without data from the budget. True: the budget is used up and the connection has ended. */
  overspends(limit: WireLimitName, units: number): boolean;
}

export interface ControlFramesPort extends FramePort {
  readonly lastId: number;
  /** SETTINGS_INITIAL_WINDOW_SIZE of the peer. */
  peerStreamWindow: number;
  /** The peer acknowledged our settings. */
  onSettingsAcknowledged(): void;
  /** The peer has processed our first GOAWAY. */
  onDrainPingAnswered(): void;
}

export interface StreamFramesPort extends FramePort {
  readonly limits: WireLimits;
  readonly counters: WireCounters;
  readonly guard: FloodGuard;
  /** The most recent streams that both sides ended or the peer reset. */
  readonly ended: RecentIds;
  readonly resetByUs: RecentIds;
  readonly nowMs: number;
  /** The highest id that the peer has used. */
  lastId: number;
  /** Whether new streams are refused because our last GOAWAY was sent. */
  readonly refusesStreams: boolean;
  openStream(id: number, verdict: RequestVerdict): Http2Stream;
  /** Deletes a stream from the table after both sides ended it or the peer reset it. */
  forget(stream: Http2Stream): void;
  failByLimit(limit: WireLimitName): void;
}

export interface TimeLimitsPort {
  readonly limits: WireLimits;
  readonly counters: WireCounters;
  readonly sender: Sender<Http2Stream>;
  readonly streams: StreamTable<Http2Stream>;
  /** Number of streams that have not ended on our side. */
  readonly running: number;
  reset(stream: Http2Stream, code: number): void;
}
