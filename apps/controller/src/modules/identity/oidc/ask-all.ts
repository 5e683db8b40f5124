import { randomInt } from 'node:crypto';
import type { Db } from '@flotilla/db';
import type { Configuration } from 'openid-client';
import type { Present } from '../directories/index.ts';
import { type AskDeps, type Asked, ask } from './ask.ts';
import { findGrants, type Giver } from './grant-store.ts';

/** A person must sign in again after this time without an answer about them. */
const UNANSWERED_MAX_MS = 60 * 60_000;

interface Question {
  readonly client: Configuration;
  readonly giver: Giver;
  readonly present: readonly Present[];
  readonly signal: AbortSignal;
}

interface Answers {
  readonly gone: Asked[];
  /** People about whom it has said nothing for too long. */
  readonly unanswered: Asked[];
  /** Why nothing is known, by user id. */
  readonly failures: Map<string, unknown>;
  /** Number of people asked about, excluding those who signed in again meanwhile. */
  asked: number;
  /** Number of people about whom there is a definite answer. */
  known: number;
  /** The provider has answered about at least one person. */
  isThere: boolean;
}

/** Asks a provider about everybody for whom it has issued a refresh token. */
export async function askAll(deps: AskDeps, { client, giver, present, signal }: Question): Promise<Answers> {
  const since = Date.now() - UNANSWERED_MAX_MS;
  // Starts at random, so that a provider that limits requests does not always miss the same people.
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
  // If the provider answers about nobody, these people are not the cause.
  if (!answers.isThere || overdue.length === 0) return answers;
  // All controllers may have been stopped during that time, so one missed answer is not enough: ask again. Reads the
  // grants again, because an earlier answer may have replaced a token.
  const again = await listAsked(deps.db, giver, overdue);
  answers.unanswered.push(...(await askEach(deps, { client, signal }, again, answers)));
  return answers;
}

/** People without an answer come last, so that they do not delay the others. */
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

/** Adds to `answers`. Returns the people about whom it said nothing without being rate-limited. */
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
      // The next person would get the same timeout or refusal.
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
