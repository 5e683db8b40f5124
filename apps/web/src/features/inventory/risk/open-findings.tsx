import { FINDING_SEVERITIES } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { Loaded } from '../../../ui/index.ts';
import classes from '../inventory.module.css';
import { texts } from './texts.tsx';

const text = texts.score.findings;

/** How many findings wait for somebody. The grade rates requests, so a single critical finding hardly changes it. */
export function OpenFindings() {
  const can = useCan();
  const project = useProject();
  const query = useApi(
    routes.finding.summary,
    { query: { project: project.id } },
    { topics: ['finding'], enabled: can(routes.finding.summary) },
  );
  if (!can(routes.finding.summary)) return null;
  return (
    <Loaded query={query} what={text.what} skeleton={1}>
      {({ body: { severities } }) => {
        const counts = FINDING_SEVERITIES.flatMap((severity) =>
          severities[severity] > 0 ? [text.count(severities[severity], severity)] : [],
        );
        return (
          <p className={classes.dim}>
            {counts.length === 0 ? text.none : text.some(counts.join(', '))}{' '}
            <Link to="/p/$project/traffic/findings" params={{ project: project.name }}>
              {text.show}
            </Link>
          </p>
        );
      }}
    </Loaded>
  );
}
