import type { ShieldEvent } from '@flotilla/contract';
import type { StateProps } from '../../ui/state.tsx';

/** A verdict as a state: blocked is what the policy is for; what broke is what to look at. */
export function verdictLook({
  verdict,
  status,
  detail,
}: Pick<ShieldEvent, 'verdict' | 'status' | 'detail'>): StateProps {
  const about = detail === '' ? '' : `: ${detail}`;
  switch (verdict) {
    case 'blocked':
      return { word: `Blocked ${status}`, tone: 'bad', shape: 'full', why: `Turned away with ${status}${about}` };
    case 'detected':
      return {
        word: 'Detected',
        tone: 'warn',
        shape: 'half',
        why: `Let through; mode block would answer ${status}${about}`,
      };
    case 'error':
      return {
        word: 'Engine failed',
        tone: 'bad',
        shape: 'triangle',
        why: `The engine broke or ran out of time; fail_open let the request go on${about}`,
      };
  }
}

/** What to put into a trial of the same request. Headers and bodies are not recorded. */
export function trialSearch(event: ShieldEvent): Record<string, string> {
  const host = event.host.includes(':') && !event.host.startsWith('[') ? `[${event.host}]` : event.host;
  return {
    service: event.service_id,
    ...(event.method !== 'GET' && { method: event.method }),
    url: host === '' ? event.path : `https://${host}${event.path}`,
    ...(event.source_ip !== '' && { ip: event.source_ip }),
  };
}
