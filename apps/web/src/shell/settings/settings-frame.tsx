import { Link, useParams } from '@tanstack/react-router';
import { Fragment, Suspense, useEffect, useRef } from 'react';
import { useCan, useProject } from '../../app/project.tsx';
import type { SettingsPage } from '../../app/screens.ts';
import { PageMissing, PageWaiting } from '../page-states.tsx';
import { texts } from '../texts.tsx';
import { INSTALLATION_SECTIONS, PROJECT_SECTIONS, toAreas } from './sections.ts';
import classes from './settings-frame.module.css';

const text = texts.settingsFrame;

export function InstallationSettings() {
  return <SettingsFrame sections={INSTALLATION_SECTIONS} />;
}

export function ProjectSettings() {
  return <SettingsFrame sections={PROJECT_SECTIONS} project={useProject().name} />;
}

interface SettingsFrameProps {
  readonly sections: readonly SettingsPage[];
  /** undefined: the settings of the installation. */
  readonly project?: string;
}

/** Shows a list of all settings pages and the open one beside it. */
function SettingsFrame({ sections, project }: SettingsFrameProps) {
  const can = useCan();
  const { section: asked } = useParams({ strict: false });
  const allowed = sections.filter(({ needs }) => can(needs));
  const open = asked === undefined ? toAreas(allowed)[0]?.sections[0] : allowed.find(({ id }) => id === asked);
  const list = useRef<HTMLElement>(null);
  const openId = open?.id;
  useEffect(() => {
    // On a phone the pages are one scrollable line.
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (openId !== undefined && current && list.current)
      list.current.scrollLeft = current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [openId]);
  const to = project === undefined ? '/settings/$section' : '/p/$project/settings/$section';
  if (!open) return <PageMissing />;
  return (
    <div className={classes.frame}>
      <nav ref={list} className={classes.list} aria-label={text.title}>
        {toAreas(allowed).map((area) => (
          <Fragment key={area.label ?? ''}>
            {area.label !== undefined && <div className={classes.area}>{area.label}</div>}
            {area.sections.map(({ id, label }) => (
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
          </Fragment>
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
