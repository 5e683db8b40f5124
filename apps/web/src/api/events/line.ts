import type { ChangeEvent, HelloEvent } from '@flotilla/contract';
import { formatQuery } from '../call.ts';
import { getSession, loadSession } from '../session.ts';

export interface LineHandlers {
  /** The stream is open and follows these projects. */
  readonly onLive: (projects: readonly string[]) => void;
  /** The stream broke and is being retried. `isSilent`: the controller did not answer a plain request either. */
  readonly onLost: (isSilent: boolean) => void;
  readonly onChange: (event: ChangeEvent, id: string) => void;
  /** Changes were missed: everything on the screen has to be read again. */
  readonly onResync: (id: string | undefined) => void;
  readonly onHeartbeat: () => void;
  /** Another account, or nobody, is signed in at this browser now. */
  readonly onSignedOut: () => void;
}

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 10_000;
/** The controller sends a heartbeat every 15 s: a stream without one for this long is dead. */
export const SILENCE_MAX_MS = 40_000;

/**
 * One event stream of one account. Reopens it after the last received event until `close` is called.
 *
 * idle -> opening (open) -> live (hello of the same account) -> lost (error, silence, end) -> opening (after a pause, once the controller
 * has confirmed that the same account is still signed in). `close` ends it in every state.
 */
export class EventLine {
  readonly #userId: string;
  readonly #handlers: LineHandlers;
  #projects: readonly string[] = [];
  #source: EventSource | undefined;
  #lastId: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #isLost = false;
  #isClosed = false;
  #opening = 0;

  constructor(userId: string, handlers: LineHandlers) {
    this.#userId = userId;
    this.#handlers = handlers;
  }

  /** Opens the stream for these projects and closes the open one. */
  open(projects: readonly string[], lastId: string | undefined): void {
    this.#projects = projects;
    this.#lastId = lastId;
    void this.#open();
  }

  /** Retries a broken stream at once. */
  wake(): void {
    if (!this.#isLost || this.#isClosed) return;
    this.#attempt = 0;
    clearTimeout(this.#timer);
    void this.#check();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  async #open(): Promise<void> {
    this.#stop();
    const wanted = this.#projects;
    this.#opening += 1;
    const opening = this.#opening;
    // Another tab has created a project since this one loaded its session.
    if (listMemberships(wanted).length < wanted.length) await loadSession();
    const [project, ...also] = listMemberships(wanted);
    if (this.#isClosed || opening !== this.#opening) return;
    if (project === undefined) {
      this.#retry();
      return;
    }
    const source = new EventSource(`/api/v3/events${formatQuery({ project, also, last_event_id: this.#lastId })}`);
    this.#source = source;
    this.#hear();
    const on = (name: string, handle: (event: MessageEvent<string>) => void) =>
      source.addEventListener(name, (event) => {
        this.#hear();
        handle(event);
      });
    source.onerror = () => this.#retry();
    on('hello', (event) => this.#greet(event));
    on('heartbeat', () => this.#handlers.onHeartbeat());
    on('end', () => this.#retry());
    on('resync', (event) => {
      this.#remember(event);
      this.#handlers.onResync(this.#lastId);
    });
    on('change', (event) => {
      this.#remember(event);
      this.#handlers.onChange(JSON.parse(event.data) as ChangeEvent, event.lastEventId);
    });
  }

  #greet(event: MessageEvent<string>): void {
    const hello = JSON.parse(event.data) as HelloEvent;
    if (hello.user_id !== this.#userId) {
      // The cookie belongs to another account now, so nothing in this stream is for this page.
      this.#stop();
      this.#handlers.onSignedOut();
      this.#retry();
      return;
    }
    // Without an ID to continue from, events in between are unknown.
    const isGap = this.#isLost && this.#lastId === undefined;
    this.#attempt = 0;
    this.#isLost = false;
    this.#remember(event);
    if (isGap) this.#handlers.onResync(this.#lastId);
    this.#handlers.onLive(hello.projects);
  }

  #remember(event: MessageEvent): void {
    if (event.lastEventId) this.#lastId = event.lastEventId;
  }

  #hear(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#retry(), SILENCE_MAX_MS);
  }

  #retry(isSilent = false): void {
    this.#stop();
    if (this.#isClosed) return;
    this.#isLost = true;
    this.#handlers.onLost(isSilent);
    const wait = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** this.#attempt) * (0.5 + Math.random() / 2);
    this.#attempt += 1;
    this.#timer = setTimeout(() => void this.#check(), wait);
  }

  /** Asks for the session, because the browser hides why a stream was refused: an expired session looks like an unreachable controller. */
  async #check(): Promise<void> {
    const isAnswered = await loadSession();
    if (this.#isClosed || this.#source) return;
    const session = getSession();
    if (!isAnswered) this.#retry(true);
    else if (session.status === 'signedIn' && session.user.id === this.#userId) await this.#open();
    else {
      this.#handlers.onSignedOut();
      this.#retry();
    }
  }

  #stop(): void {
    this.#source?.close();
    this.#source = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
  }
}

function listMemberships(projects: readonly string[]): string[] {
  const session = getSession();
  if (session.status !== 'signedIn') return [...projects];
  return projects.filter((id) => session.user.memberships.some(({ project }) => project === id));
}
