import { useConnection } from '../api/events.ts';
import { texts } from '../texts/index.ts';
import { State, Time } from '../ui/index.ts';
import classes from './frame.module.css';

const text = texts.shell.connectionState;

export function ConnectionState() {
  const connection = useConnection();
  switch (connection.status) {
    case 'connecting':
      return <State word={text.state.connecting} tone="busy" shape="arc" />;
    case 'live':
      return <State word={text.state.live} why={text.state.whyLive} />;
    case 'lost':
      return <State word={text.state.offline} why={text.state.whyOffline} />;
  }
}

/** Says what holds while nobody answers; gone as soon as somebody does. */
export function ConnectionLost() {
  const connection = useConnection();
  if (connection.status !== 'lost') return null;
  return (
    <div className={classes.lost} role="alert">
      <State word={texts.shell.connectionState.state.offline} />
      <span>{text.lost.whatGoesOn(<Time at={connection.since.toISOString()} />)}</span>
    </div>
  );
}
