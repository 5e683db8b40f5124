import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Loaded, Section, State, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { SEVERITY_LOOKS } from '../inventory/index.ts';
import { STATE_LOOKS } from './finding-look.ts';
import { texts } from './texts.tsx';

const text = texts.endpoint;
/** More than there are flags. */
const FINDINGS_MAX = 100;

/** The findings of one endpoint. */
export function EndpointFindings({ operationId }: { operationId: string }) {
  const project = useProject();
  const query = useApi(
    routes.finding.list,
    { query: { project: project.id, operation_id: [operationId], limit: FINDINGS_MAX } },
    { topics: ['finding'] },
  );
  const all = (
    <Link to="/p/$project/traffic/findings" params={{ project: project.name }}>
      {text.all}
    </Link>
  );
  return (
    <Section title={text.title} actions={all}>
      <Loaded query={query} what={text.what}>
        {({ body: { items } }) =>
          items.length === 0 ? (
            <p className={layout.note}>{text.none}</p>
          ) : (
            <ul className={lines.rows} aria-label={text.title}>
              {items.map(({ id, severity, title, state, last_seen: at }) => (
                <li key={id} className={lines.row}>
                  <State {...SEVERITY_LOOKS[severity]} />
                  <Link
                    className={lines.grow ?? ''}
                    to="/p/$project/traffic/findings/$findingId"
                    params={{ project: project.name, findingId: id }}
                  >
                    {title}
                  </Link>
                  <State {...STATE_LOOKS[state]} />
                  <span className={lines.dim}>
                    <Time at={at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
