import type { ChangeEvent } from '@flotilla/contract';
import { loadSession } from '../session.ts';
import { EventLine, SILENCE_MAX_MS } from './line.ts';
import type { StreamState, TabMessage } from './tab-messages.ts';

export interface SharedEventHandlers {
  readonly onChange: (event: ChangeEvent) => void;
  /** Changes may have been missed: everything on the screen has to be read again. */
  readonly onResync: () => void;
  readonly onState: (state: StreamState) => void;
  /** Changes begin to arrive for the first time: what was read before may be older. */
  readonly onBegin: () => void;
}

/** A tab that misses this many roll-calls counts as gone. */
const UNANSWERED_MAX = 3;
/** Waits this long, so that tabs that open together cost one new stream. */
const GATHER_MS = 50;

/**
 * The events of one account for one tab. All tabs of the account share one stream: browsers open six connections to a host without TLS, and
 * a seventh request would wait for ever.
 *
 * The tab that holds the Web Lock of the account holds the stream, for the projects of all tabs, and forwards its events to them. When that
 * tab is closed, enters the back/forward cache or crashes, the browser gives the lock to another tab, which continues after the last
 * forwarded event. A tab that the browser has frozen sends nothing: a visible tab then steals its lock. The names of lock and channel
 * contain the account, and `EventLine` checks whose stream it is: tabs of two accounts never receive each other's events.
 *
 * Without Web Locks (plain HTTP from another machine) each tab has its own stream, and only while it is visible.
 */
export class SharedEvents {
  readonly #userId: string;
  readonly #project: string;
  readonly #handlers: SharedEventHandlers;
  readonly #tab = crypto.getRandomValues(new Uint32Array(4)).join('-');
  readonly #tabs = new Map<string, { project: string; unanswered: number }>();
  #channel: BroadcastChannel | undefined;
  #line: EventLine | undefined;
  #lock: AbortController | undefined;
  #release: (() => void) | undefined;
  #state: StreamState = { status: 'connecting' };
  #hasBegun = false;
  #lastId: string | undefined;
  #growth: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(of: { userId: string; project: string }, handlers: SharedEventHandlers) {
    this.#userId = of.userId;
    this.#project = of.project;
    this.#handlers = handlers;
  }

  /** Starts, also after `stop`. */
  start(): void {
    if (this.#channel) return;
    this.#tabs.set(this.#tab, { project: this.#project, unanswered: 0 });
    this.#setState({ status: 'connecting' });
    const name = `flotilla-events ${this.#userId}`;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#hear(data);
    this.#post({ kind: 'join', tab: this.#tab, project: this.#project });
    if (hasLocks()) this.#ask(name);
    else if (document.visibilityState === 'visible') this.#lead();
  }

  /** Releases the stream and the lock. */
  stop(): void {
    if (!this.#channel) return;
    this.#post({ kind: 'leave', tab: this.#tab });
    this.#resign();
    this.#lock?.abort();
    this.#lock = undefined;
    clearTimeout(this.#silence);
    this.#channel.close();
    this.#channel = undefined;
    this.#tabs.clear();
  }

  /** Retries: the network may be back, or the tab is visible again. */
  wake(): void {
    if (this.#line) this.#line.wake();
    else this.#post({ kind: 'wake' });
  }

  /** Opens or closes the stream of a tab without Web Locks: a hidden tab needs no events. */
  show(isSeen: boolean): void {
    if (!this.#channel) return;
    if (hasLocks()) {
      if (isSeen) this.wake();
    } else if (isSeen && !this.#line) this.#lead();
    else if (!isSeen) this.#resign();
  }

  #ask(name: string): void {
    const lock = new AbortController();
    this.#lock = lock;
    const held = () => (lock.signal.aborted ? undefined : this.#hold());
    navigator.locks.request(name, { signal: lock.signal }, held).catch(() => {
      if (lock.signal.aborted) return;
      // Another tab took the lock because this one was silent for too long.
      this.#resign();
      this.#ask(name);
    });
    this.#watchHolder(name);
  }

  /** Takes the lock of a silent holder. */
  #watchHolder(name: string): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      if (this.#line || document.visibilityState !== 'visible') {
        this.#watchHolder(name);
        return;
      }
      this.#lock?.abort();
      const lock = new AbortController();
      this.#lock = lock;
      navigator.locks
        .request(name, { steal: true }, () => (lock.signal.aborted ? undefined : this.#hold()))
        .catch(() => {
          if (lock.signal.aborted) return;
          this.#resign();
          this.#ask(name);
        });
      this.#watchHolder(name);
    }, SILENCE_MAX_MS * 1.2);
  }

  /** Resolves when the lock is released. */
  #hold(): Promise<void> {
    return new Promise((resolve) => {
      this.#release = resolve;
      this.#lead();
    });
  }

  #lead(): void {
    this.#line?.close();
    this.#line = new EventLine(this.#userId, {
      onLive: (projects) => this.#say({ status: 'live', projects }),
      onLost: (isSilent) => {
        const sinceMs = this.#state.status === 'lost' ? this.#state.sinceMs : Date.now();
        this.#say({ status: 'lost', sinceMs, isSilent });
      },
      onChange: (event, id) => this.#pass({ kind: 'change', event, id }),
      onResync: (id) => this.#pass({ kind: 'resync', id }),
      onHeartbeat: () => this.#callRoll(),
      onSignedOut: () => this.#post({ kind: 'signed-out' }),
    });
    this.#line.open(this.#listProjects(), this.#lastId);
  }

  #resign(): void {
    clearTimeout(this.#growth);
    this.#line?.close();
    this.#line = undefined;
    this.#release?.();
    this.#release = undefined;
  }

  #hear(message: TabMessage): void {
    if (!this.#line && hasLocks() && message.kind !== 'join' && message.kind !== 'leave' && message.kind !== 'wake')
      this.#watchHolder(`flotilla-events ${this.#userId}`);
    switch (message.kind) {
      case 'join':
        this.#tabs.set(message.tab, { project: message.project, unanswered: 0 });
        if (this.#line) this.#follow(message.project);
        return;
      case 'leave':
        this.#tabs.delete(message.tab);
        return;
      case 'roll-call':
        this.#post({ kind: 'join', tab: this.#tab, project: this.#project });
        return;
      case 'state':
        if (this.#line) return;
        for (const [tab, project] of message.tabs) this.#tabs.set(tab, { project, unanswered: 0 });
        this.#lastId = message.lastId ?? this.#lastId;
        this.#setState(message.state);
        return;
      case 'change':
        this.#lastId = message.id;
        this.#deliver(message.event);
        return;
      case 'resync':
        this.#lastId = message.id ?? this.#lastId;
        this.#handlers.onResync();
        return;
      case 'signed-out':
        void loadSession();
        return;
      case 'wake':
        this.#line?.wake();
    }
  }

  /** Adds a project, which needs a new stream that starts after the last event. Only the holder calls it. */
  #follow(project: string): void {
    const { status } = this.#state;
    if (status === 'live' && !this.#state.projects.includes(project)) {
      clearTimeout(this.#growth);
      this.#growth = setTimeout(() => this.#line?.open(this.#listProjects(), this.#lastId), GATHER_MS);
    }
    this.#say(this.#state);
  }

  #callRoll(): void {
    for (const [tab, known] of this.#tabs) {
      if (tab === this.#tab) continue;
      known.unanswered += 1;
      if (known.unanswered > UNANSWERED_MAX) this.#tabs.delete(tab);
    }
    this.#post({ kind: 'roll-call' });
  }

  /** Forwards a message of the stream to the other tabs and to this one. Only the holder calls it. */
  #pass(message: Extract<TabMessage, { kind: 'change' | 'resync' }>): void {
    this.#lastId = message.id ?? this.#lastId;
    this.#post(message);
    if (message.kind === 'change') this.#deliver(message.event);
    else this.#handlers.onResync();
  }

  #deliver(event: ChangeEvent): void {
    if (event.project === undefined || event.project === this.#project) this.#handlers.onChange(event);
  }

  #say(state: StreamState): void {
    const tabs = [...this.#tabs].map(([tab, { project }]) => [tab, project] as const);
    this.#post({ kind: 'state', state, lastId: this.#lastId, tabs });
    this.#setState(state);
  }

  /** Live means that the stream follows the project of this tab. */
  #setState(state: StreamState): void {
    this.#state = state;
    const isWaiting = state.status === 'live' && !state.projects.includes(this.#project);
    this.#handlers.onState(isWaiting ? { status: 'connecting' } : state);
    if (state.status !== 'live' || isWaiting || this.#hasBegun) return;
    this.#hasBegun = true;
    this.#handlers.onBegin();
  }

  #listProjects(): string[] {
    return [...new Set([this.#project, ...[...this.#tabs.values()].map(({ project }) => project)])];
  }

  #post(message: TabMessage): void {
    // Without Web Locks every tab has its own stream.
    if (hasLocks()) this.#channel?.postMessage(message);
  }
}

function hasLocks(): boolean {
  return 'locks' in navigator;
}
