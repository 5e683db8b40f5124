import { randomInt } from 'node:crypto';
import type { Db } from '@flotilla/db';
import type { Configuration } from 'openid-client';
import type { Present } from '../directories/index.ts';
import { type AskDeps, type Asked, ask } from './ask.ts';
import { findGrants, type Giver } from './grant-store.ts';

/** Whoever cannot be asked about for so long is asked to sign in again. */
const UNANSWERED_MAX_MS = 60 * 60_000;

interface Question {
  readonly client: Configuration;
  readonly giver: Giver;
  readonly present: readonly Present[];
  readonly signal: AbortSignal;
}

interface Answers {
  readonly gone: Asked[];
  /** Those of whom it has said nothing for so long that they are not believed to be there any more. */
  readonly unanswered: Asked[];
  /** By the user: why nothing is known of them. */
  readonly failures: Map<string, unknown>;
  /** Whom it was or would have been asked about, but for those who have signed in anew meanwhile. */
  asked: number;
  /** Of how many it has said that they are there or gone. */
  known: number;
  /** It has answered something about somebody. */
  isThere: boolean;
}

/** Asks a provider about everybody whom it has given something to ask by. */
export async function askAll(deps: AskDeps, { client, giver, present, signal }: Question): Promise<Answers> {
  const since = Date.now() - UNANSWERED_MAX_MS;
  // Of a provider that answers so many and no more, nobody is always the one who comes too late.
  const start = randomInt(Math.max(present.length, 1));
  const asked = await listAsked(deps.db, giver, [...present.slice(start), ...present.slice(0, start)]);
  const answers: Answers = {
    gone: [],
    unanswered: [],
    failures: new Map(),
    asked: asked.length,
    known: 0,
    isThere: false,
  };
  const doubted = await askEach(deps, { client, signal }, asked, answers);
  const overdue = doubted.filter(({ grant }) => grant.unansweredSince && grant.unansweredSince.getTime() <= since);
  // Where it says nothing of anybody, that is not because of these.
  if (!answers.isThere || overdue.length === 0) return answers;
  // Nobody has asked them all that time where every controller stood still, so one answer that is missed is not enough.
  // By what is stored now: the token may have been replaced by an answer that said nothing else.
  const again = await listAsked(deps.db, giver, overdue);
  answers.unanswered.push(...(await askEach(deps, { client, signal }, again, answers)));
  return answers;
}

/** Those of whom it says nothing come last, so that they keep nobody waiting. */
async function listAsked(db: Db, giver: Giver, present: readonly Present[]): Promise<Asked[]> {
  const ids = present.map(({ userId }) => userId);
  const grants = await findGrants(db, giver, ids);
  const asked = present.flatMap((person) => {
    const grant = grants.get(person.userId);
    return grant === undefined ? [] : [{ ...person, grant }];
  });
  const since = ({ grant }: Asked) => grant.unansweredSince?.getTime() ?? Number.POSITIVE_INFINITY;
  return asked.sort((a, b) => (since(a) === since(b) ? 0 : since(b) - since(a)));
}

/** Adds to `answers`. Returns of whom it has said nothing, though it was free to. */
async function askEach(
  deps: AskDeps,
  { client, signal }: Pick<Question, 'client' | 'signal'>,
  asked: readonly Asked[],
  answers: Answers,
): Promise<Asked[]> {
  const doubted: Asked[] = [];
  for (const person of asked) {
    signal.throwIfAborted();
    const found = await ask(deps, client, person);
    if ('error' in found) {
      answers.failures.set(person.userId, found.error);
      answers.isThere ||= found.at === 'lost';
      if (found.at !== 'later') doubted.push(person);
      // Whoever comes next would wait for it as long, or be sent away likewise.
      if (found.at === 'silent' || found.at === 'later') break;
      continue;
    }
    answers.failures.delete(person.userId);
    if (found.at === 'passed') {
      answers.asked -= 1;
      continue;
    }
    answers.known += 1;
    answers.isThere = true;
    if (found.at === 'gone') answers.gone.push(person);
  }
  return doubted;
}
