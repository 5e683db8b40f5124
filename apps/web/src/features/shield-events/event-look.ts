import type { ShieldEvent } from '@flotilla/contract';
import type { StateProps } from '../../ui/state.tsx';
import { texts } from './texts.tsx';

const text = texts.eventLook;

/** Returns a verdict as a state: blocked is expected; engine failures need attention. */
export function verdictLook({
  verdict,
  status,
  detail,
}: Pick<ShieldEvent, 'verdict' | 'status' | 'detail'>): StateProps {
  const about = detail === '' ? '' : `: ${detail}`;
  switch (verdict) {
    case 'blocked':
      return { word: text.blocked(status), tone: 'bad', shape: 'full', why: text.whyBlocked(status, about) };
    case 'detected':
      return {
        word: text.detected,
        tone: 'warn',
        shape: 'half',
        why: text.whyDetected(status, about),
      };
    case 'error':
      return {
        word: text.failed,
        tone: 'bad',
        shape: 'triangle',
        why: text.whyFailed(about),
      };
  }
}

/** Returns URL parameters of the rule that decided, and of its bundle: the policy may have changed since. */
export function ruleSearch({ host, route, engine, ...event }: ShieldEvent): Record<string, string> {
  return { host, route, engine, digest: event.digest, decided_by: event.service_id, decided_at: event.time };
}

/** Returns URL parameters for a trial of the same request. Headers and bodies are not recorded. */
export function trialSearch(event: ShieldEvent): Record<string, string> {
  const host = event.host.includes(':') && !event.host.startsWith('[') ? `[${event.host}]` : event.host;
  return {
    service: event.service_id,
    ...(event.method !== 'GET' && { method: event.method }),
    url: host === '' ? event.path : `https://${host}${event.path}`,
    ...(event.source_ip !== '' && { ip: event.source_ip }),
  };
}
