import type { Explanation } from '@flotilla/contract';
import type { Tone } from '../../../ui/index.ts';

type Engine = Explanation['engines'][number];
type Shape = 'full' | 'half' | 'ring' | 'triangle' | 'square';

export interface VerdictLook {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: Shape;
  readonly why: string;
}

/** What an engine said and what came of it, as one state. */
export function engineLook({ verdict, effect, status }: Pick<Engine, 'verdict' | 'effect' | 'status'>): VerdictLook {
  if (effect === 'not_asked')
    return {
      word: verdict === 'allow' ? 'Not asked' : 'Not asked, would object',
      tone: 'quiet',
      shape: 'ring',
      why: 'An engine before it has answered the request already: in real life this one does not see it',
    };
  if (verdict === 'body')
    return {
      word: 'Waits for a body',
      tone: 'busy',
      shape: 'half',
      why: 'The headers are fine; what it says depends on a body, and this request has none',
    };
  if (verdict === 'allow') return { word: 'Allows', tone: 'good', shape: 'full', why: 'Nothing against it' };
  if (effect === 'detected')
    return {
      word: 'Detected',
      tone: 'warn',
      shape: 'half',
      why: 'The policy is in mode detect: this is counted, and the request goes on',
    };
  if (effect === 'error')
    return {
      word: 'Failed, goes on',
      tone: 'warn',
      shape: 'triangle',
      why: 'The engine broke or ran out of time, and fail_open lets the request go on',
    };
  return {
    word: status === null ? 'Blocks' : `Blocks with ${status}`,
    tone: 'bad',
    shape: 'triangle',
    why: 'This is the answer that the client gets',
  };
}

const DOMAIN_MISSES: Readonly<Record<string, string>> = {
  less_specific: 'covers it, but another entry is exact or longer',
  bare_suffix: 'covers what is below it, not the name itself',
  other_host: 'is another host',
};

const ROUTE_MISSES: Readonly<Record<string, string>> = {
  shorter: 'begins the path, but a longer prefix does, too',
  trailing_slash: 'would but for the slash at its end',
  not_a_prefix: 'does not begin the path',
};

export function domainMissWords(why: string): string {
  return DOMAIN_MISSES[why] ?? why;
}

export function routeMissWords(why: string): string {
  return ROUTE_MISSES[why] ?? why;
}

const BODY_WORDS: Readonly<Record<Explanation['body']['state'], string>> = {
  none: 'The request has none.',
  not_wanted: 'No engine asks for it: it is not read.',
  blocked_before: 'Not read: the headers settled the request.',
  read: 'Read by the engines that ask for it.',
  too_large: 'Longer than what is read, which is a finding of its own.',
  undecodable: 'It cannot be decoded, which is a finding of its own.',
};

export function bodyWords(state: Explanation['body']['state']): string {
  return BODY_WORDS[state];
}

const ADDRESS_WORDS: Readonly<Record<Explanation['request']['source_ip_from'], string>> = {
  given: 'as given',
  'x-forwarded-for': 'from x-forwarded-for, behind the trusted proxies',
  peer: 'of the connection',
  unknown: 'not known: limits by address count it with all others that have none',
};

export function addressWords(from: Explanation['request']['source_ip_from']): string {
  return ADDRESS_WORDS[from];
}
