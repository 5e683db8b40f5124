import { ServiceLink } from '../../../app/links.tsx';
import { useLastSeen } from '../../../app/use-client-names.ts';
import { Duration, Section, StateShape } from '../../../ui/index.ts';
import { FixLink } from '../fix-link.tsx';
import classes from '../service.module.css';
import type { ServiceDetail } from '../types.ts';
import { useKnownDocuments } from '../use-service.ts';
import { texts } from './texts.tsx';
import { deriveTroubles, type Trouble } from './troubles.ts';

const text = texts.troubleList;

const LOOK_AT = {
  errors: text.list.lookAtErrors,
  nodes: text.list.lookAtNodes,
  traffic: text.list.lookAtTraffic,
} as const;

const SHOWN = 12;
const CLIENTS_NAMED = 4;

/** Lists problems with their duration, place and fix. Renders nothing if there are none. */
export function TroubleList({ detail }: { detail: ServiceDetail }) {
  const known = useKnownDocuments(detail.service);
  const lastSeenOf = useLastSeen(detail.nodes.some(({ connected, deployed }) => deployed && !connected));
  const troubles = deriveTroubles(detail, lastSeenOf);
  if (troubles.length === 0) return null;
  return (
    <Section title={text.list.title} isPanel>
      <ul className={classes.lines}>
        {troubles.slice(0, SHOWN).map((trouble) => (
          <li key={trouble.id} className={classes.line}>
            <div className={classes.main}>
              <span className={classes.strong}>
                <StateShape tone={trouble.tone} shape="triangle" /> <bdi>{trouble.title}</bdi>
              </span>
              {trouble.detail && <p className={classes.words}>{trouble.detail}</p>}
              {trouble.fix && <div>{trouble.fix}</div>}
              {trouble.fixAt && <FixLink fixAt={trouble.fixAt} service={detail.service} known={known} />}
            </div>
            <div className={classes.side}>
              {trouble.clients.length > 0 && <Clients trouble={trouble} />}{' '}
              {trouble.since && <Since at={trouble.since} />}{' '}
              <ServiceLink id={detail.service.id} tab={trouble.tab}>
                {LOOK_AT[trouble.tab]}
              </ServiceLink>
            </div>
          </li>
        ))}
        {troubles.length > SHOWN && (
          <li className={classes.line}>
            <span className={classes.side}>{text.list.andMore(troubles.length - SHOWN)}</span>
          </li>
        )}
      </ul>
    </Section>
  );
}

function Since({ at }: { at: string }) {
  return <>{text.since.since(<Duration since={at} />)}</>;
}

function Clients({ trouble: { clients } }: { trouble: Trouble }) {
  const named = clients.slice(0, CLIENTS_NAMED);
  return (
    <>
      {text.clients.on(
        named.map((name, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <bdi>{name}</bdi>
          </span>
        )),
        clients.length > named.length && text.clients.andMore(clients.length - named.length),
      )}
    </>
  );
}
