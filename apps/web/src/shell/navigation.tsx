import { useLocalStorage } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { useCan } from '../app/project.tsx';
import type { NavigationLink } from '../app/screens.ts';
import { type Area, INSTALLATION, PROJECT_AREAS } from './destinations.ts';
import classes from './frame.module.css';

/** Links to everything that the user may open, in groups that can be closed. The browser remembers closed groups. */
export function Navigation({ project }: { project: string | undefined }) {
  const can = useCan();
  const [closed, setClosed] = useLocalStorage<readonly string[]>({
    key: 'flotilla-closed-navigation',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const areas: readonly Area[] = [...(project === undefined ? [] : PROJECT_AREAS), INSTALLATION];
  return areas.map(({ label, links: all }) => {
    const places = all.filter(({ needs }) => can(needs));
    if (places.length === 0) return null;
    const links = places.map((place) => <AreaLink key={place.label} place={place} project={project} />);
    if (label === undefined) return <div key="first">{links}</div>;
    const isOpen = !closed.includes(label);
    const toggle = () => setClosed(isOpen ? [...closed, label] : closed.filter((one) => one !== label));
    return (
      <Group key={label} label={label} isOpen={isOpen} onToggle={toggle}>
        {links}
      </Group>
    );
  });
}

interface GroupProps {
  readonly label: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

/** A closed group still shows the link to the open page. */
function Group({ label, isOpen, onToggle, children }: GroupProps) {
  const id = useId();
  return (
    <>
      <button type="button" className={classes.area} aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <IconChevronRight size={12} className={classes.chevron} />
        {label}
      </button>
      <div id={id} className={classes.links} data-closed={!isOpen || undefined}>
        {children}
      </div>
    </>
  );
}

function AreaLink({ place, project }: { place: NavigationLink; project: string | undefined }) {
  const { icon: Icon, label, to, params, beside: Beside } = place;
  return (
    <Link to={to} params={{ project, ...params }} className={classes.link} activeOptions={{ includeSearch: false }}>
      <Icon size={15} />
      {label}
      {Beside && <Beside />}
    </Link>
  );
}
