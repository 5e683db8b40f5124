import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Section, Time } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { Severity } from './alert-state.tsx';
import { SubjectLink } from './subject-link.tsx';
import { texts } from './texts.ts';

/** The first alerts that fire, for the overview; nothing if there are none. */
export function ActiveAlerts() {
  const project = useProject();
  const { data } = useApi(routes.alert.summary, { query: { project: project.id } }, { topics: ['alert'] });
  if (!data || data.body.firing === 0) return null;
  const { first, firing } = data.body;
  const all = (
    <Link to="/p/$project/alerts" params={{ project: project.name }}>
      {texts.overview.all} ({firing.toLocaleString('en')})
    </Link>
  );
  return (
    <Section title={texts.overview.title} actions={all}>
      <ul className={lines.rows} aria-label={texts.overview.title}>
        {first.map(({ id, severity, subject, summary, since }) => (
          <li key={id} className={lines.row}>
            <Severity severity={severity} />
            <span className={lines.grow}>
              <SubjectLink subject={subject} /> <span className={lines.dim}>{summary}</span>
            </span>
            <span className={lines.dim}>
              <Time at={since} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
