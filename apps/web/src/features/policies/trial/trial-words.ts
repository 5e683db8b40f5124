import type { Explanation } from '@flotilla/contract';
import type { Tone } from '../../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.trialWords;

type Engine = Explanation['engines'][number];
type Shape = 'full' | 'half' | 'ring' | 'triangle' | 'square';

export interface VerdictLook {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: Shape;
  readonly why: string;
}

/** Returns the verdict of an engine and its effect as one state. */
export function engineLook({ verdict, effect, status }: Pick<Engine, 'verdict' | 'effect' | 'status'>): VerdictLook {
  if (effect === 'not_asked')
    return {
      word: verdict === 'allow' ? text.engineLook.notAsked : text.engineLook.notAskedWouldObject,
      tone: 'quiet',
      shape: 'ring',
      why: text.engineLook.whyNotAsked,
    };
  if (verdict === 'body')
    return {
      word: text.engineLook.waitsForBody,
      tone: 'busy',
      shape: 'half',
      why: text.engineLook.whyWaitsForBody,
    };
  if (verdict === 'allow')
    return { word: text.engineLook.allows, tone: 'good', shape: 'full', why: text.engineLook.whyAllows };
  if (effect === 'detected')
    return {
      word: text.engineLook.detected,
      tone: 'warn',
      shape: 'half',
      why: text.engineLook.whyDetected,
    };
  if (effect === 'error')
    return {
      word: text.engineLook.failedOpen,
      tone: 'warn',
      shape: 'triangle',
      why: text.engineLook.whyFailedOpen,
    };
  return {
    word: status === null ? text.engineLook.blocks : text.engineLook.blocksWith(status),
    tone: 'bad',
    shape: 'triangle',
    why: text.engineLook.whyBlocks,
  };
}

const DOMAIN_MISSES: Readonly<Record<string, string>> = {
  less_specific: text.domainMisses.lessSpecific,
  bare_suffix: text.domainMisses.bareSuffix,
  other_host: text.domainMisses.otherHost,
};

const ROUTE_MISSES: Readonly<Record<string, string>> = {
  shorter: text.routeMisses.shorter,
  trailing_slash: text.routeMisses.trailingSlash,
  not_a_prefix: text.routeMisses.notAPrefix,
};

export function domainMissWords(why: string): string {
  return DOMAIN_MISSES[why] ?? why;
}

export function routeMissWords(why: string): string {
  return ROUTE_MISSES[why] ?? why;
}

const BODY_WORDS: Readonly<Record<Explanation['body']['state'], string>> = {
  none: text.bodyWords.none,
  not_wanted: text.bodyWords.notWanted,
  blocked_before: text.bodyWords.blockedBefore,
  read: text.bodyWords.read,
  too_large: text.bodyWords.tooLarge,
  undecodable: text.bodyWords.undecodable,
};

export function bodyWords(state: Explanation['body']['state']): string {
  return BODY_WORDS[state];
}

const ADDRESS_WORDS: Readonly<Record<Explanation['request']['source_ip_from'], string>> = {
  given: text.addressWords.given,
  'x-forwarded-for': text.addressWords.xForwardedFor,
  peer: text.addressWords.peer,
  unknown: text.addressWords.unknown,
};

export function addressWords(from: Explanation['request']['source_ip_from']): string {
  return ADDRESS_WORDS[from];
}
