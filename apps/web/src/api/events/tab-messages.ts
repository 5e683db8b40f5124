import type { ChangeEvent } from '@flotilla/contract';

/** State of the one stream, as the holding tab reports it. */
export type StreamState =
  | { readonly status: 'connecting' }
  | { readonly status: 'live'; readonly projects: readonly string[] }
  | { readonly status: 'lost'; readonly sinceMs: number; readonly isSilent: boolean };

/** Messages between tabs of one account. Every message also shows that its sender is alive. */
export type TabMessage =
  /** The tab shows the project. */
  | { readonly kind: 'join'; readonly tab: string; readonly project: string }
  | { readonly kind: 'leave'; readonly tab: string }
  /** Sent by the tab that holds the stream, and valid from then on. `tabs`: all known tabs and their projects. */
  | {
      readonly kind: 'state';
      readonly state: StreamState;
      readonly lastId: string | undefined;
      readonly tabs: readonly (readonly [tab: string, project: string])[];
    }
  /** Every tab answers with `join`. */
  | { readonly kind: 'roll-call' }
  | { readonly kind: 'change'; readonly event: ChangeEvent; readonly id: string }
  | { readonly kind: 'resync'; readonly id: string | undefined }
  /** Another account, or nobody, is signed in now: every tab reloads its session. */
  | { readonly kind: 'signed-out' }
  /** To the tab that holds the stream: the network may be back. */
  | { readonly kind: 'wake' };
