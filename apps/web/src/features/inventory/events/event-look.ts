import type { TrafficEvent } from '@flotilla/contract';
import type { StateProps } from '../../../ui/state.tsx';
import { texts } from './texts.tsx';

const text = texts.statuses;

/** A status as a state: the class is visible without reading the number. */
export function statusLook({ status, status_class: kind }: Pick<TrafficEvent, 'status' | 'status_class'>): StateProps {
  switch (kind) {
    case '5xx':
      return { word: String(status), tone: 'bad', shape: 'triangle' };
    case '4xx':
      return { word: String(status), tone: 'warn', shape: 'half' };
    case 'none':
      return { word: text.none, tone: 'bad', shape: 'ring', why: text.noneWhy };
    case '1xx':
    case '2xx':
    case '3xx':
      return { word: String(status), tone: kind === '2xx' ? 'good' : 'quiet', shape: 'full' };
  }
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** The time of day with milliseconds, and the day if it is not `now`'s. */
export function formatMoment(at: string, now: number): string {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date(now).toDateString();
  return isToday ? clock.format(time) : `${day.format(time)} ${clock.format(time)}`;
}
