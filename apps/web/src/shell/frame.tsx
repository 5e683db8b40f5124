import { AppShell, Burger } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useProjectIfAny } from '../app/project.tsx';
import { texts } from '../texts/index.ts';
import { ConnectionLost, ConnectionState } from './connection-state.tsx';
import classes from './frame.module.css';
import { Navigation } from './navigation.tsx';
import { OpenPalette, useOpenPalette } from './palette/palette-provider.tsx';
import { ProfileMenu } from './profile-menu.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

const text = texts.shell.frame;

const HEADER_PX = 48;

/** Frame around every page for signed-in users. */
export function Frame({ children }: { children: ReactNode }) {
  const project = useProjectIfAny();
  const [isNavOpen, nav] = useDisclosure(false);
  const openPalette = useOpenPalette();
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const path = useRouterState({ select: (state) => state.location.pathname });
  // Another page: the drawer of a phone has done its work.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the path changes
  useEffect(nav.close, [path]);

  return (
    <AppShell
      header={{ height: HEADER_PX }}
      navbar={{ width: 'var(--f-sidebar-width)', breakpoint: 'sm', collapsed: { mobile: !isNavOpen } }}
      withBorder={false}
      transitionDuration={0}
    >
      <a href="#main" className={classes.skip}>
        {text.skipToContent}
      </a>
      <AppShell.Header className={classes.header}>
        <Burger opened={isNavOpen} onClick={nav.toggle} hiddenFrom="sm" size="sm" aria-label={text.navigation} />
        <Link to="/" className={classes.brand} aria-label={text.toStart}>
          <img src="/icon.svg" alt="" width={22} height={22} />
          {!isNarrow && text.product}
        </Link>
        <span className={classes.grow} />
        <button type="button" className={classes.search} onClick={openPalette}>
          <IconSearch size={14} />
          <span className={classes.searchText}>{text.openPalette}</span>
          {!isNarrow && <kbd>{text.paletteKeys}</kbd>}
        </button>
        <span className={classes.grow} />
        <ConnectionState />
        <ThemeToggle />
        <ProfileMenu />
      </AppShell.Header>
      <AppShell.Navbar className={classes.nav} aria-label={text.mainNavigation}>
        <ProjectSwitcher />
        <Navigation project={project?.name} />
      </AppShell.Navbar>
      <AppShell.Main id="main">
        <ConnectionLost />
        {children}
      </AppShell.Main>
      <OpenPalette />
    </AppShell>
  );
}
