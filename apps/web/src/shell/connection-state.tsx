import { useConnection } from '../api/events.ts';
import { State, Time } from '../ui/index.ts';
import classes from './frame.module.css';

export function ConnectionState() {
  const connection = useConnection();
  switch (connection.status) {
    case 'connecting':
      return <State word="Connecting" tone="busy" shape="arc" />;
    case 'live':
      return <State word="Live" why="Changes appear here as they happen." />;
    case 'lost':
      return <State word="Offline" why="The controller does not answer. It is asked again every few seconds." />;
  }
}

/** Says what holds while nobody answers; gone as soon as somebody does. */
export function ConnectionLost() {
  const connection = useConnection();
  if (connection.status !== 'lost') return null;
  return (
    <div className={classes.lost} role="alert">
      <State word="Offline" />
      <span>
        The controller has not answered since <Time at={connection.since.toISOString()} />. Proxies run on, what you
        typed is kept, and this page goes on by itself.
      </span>
    </div>
  );
}
