import { useConnection } from '../api/events/index.ts';
import { State, Time } from '../ui/index.ts';
import classes from './frame.module.css';
import { texts } from './texts.tsx';

const text = texts.connectionState;

export function ConnectionState() {
  const connection = useConnection();
  switch (connection.status) {
    case 'connecting':
      return <State word={text.state.connecting} tone="busy" shape="arc" />;
    case 'live':
      return <State word={text.state.connected} tone="good" shape="full" why={text.state.whyConnected} />;
    case 'reconnecting':
      return <State word={text.state.reconnecting} tone="busy" shape="arc" why={text.state.whyReconnecting} />;
    case 'offline':
      return <State word={text.state.offline} why={text.state.whyOffline} />;
  }
}

/** Shows a banner while the controller does not answer. */
export function ConnectionLost() {
  const connection = useConnection();
  if (connection.status !== 'offline') return null;
  return (
    <div className={classes.lost} role="alert">
      <State word={text.state.offline} />
      <span>{text.lost.whatGoesOn(<Time at={connection.since.toISOString()} />)}</span>
    </div>
  );
}
