import { Link, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useCan, useProject } from '../../app/project.tsx';
import { PageMissing, PageWaiting } from '../page-states.tsx';
import { INSTALLATION_SECTIONS, PROJECT_SECTIONS, type SettingsSection } from './sections.ts';
import classes from './settings-frame.module.css';

export function InstallationSettings() {
  return <SettingsFrame sections={INSTALLATION_SECTIONS} />;
}

export function ProjectSettings() {
  return <SettingsFrame sections={PROJECT_SECTIONS} project={useProject().name} />;
}

interface SettingsFrameProps {
  readonly sections: readonly SettingsSection[];
  /** Undefined: of the installation. */
  readonly project?: string;
}

/** One list of all pages of the settings, and the open one beside it. */
function SettingsFrame({ sections, project }: SettingsFrameProps) {
  const can = useCan();
  const { section: asked } = useParams({ strict: false });
  const allowed = sections.filter(({ needs }) => can(needs));
  const open = asked === undefined ? allowed[0] : allowed.find(({ id }) => id === asked);
  const to = project === undefined ? '/settings/$section' : '/p/$project/settings/$section';
  if (!open) return <PageMissing />;
  return (
    <div className={classes.frame}>
      <nav className={classes.list} aria-label="Settings">
        {allowed.map(({ id, label }) => (
          <Link
            key={id}
            to={to}
            params={{ project, section: id }}
            className={classes.link}
            {...(id === open.id && { 'aria-current': 'page' })}
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className={classes.page}>
        <Suspense fallback={<PageWaiting />}>
          <open.page key={open.id} />
        </Suspense>
      </div>
    </div>
  );
}
