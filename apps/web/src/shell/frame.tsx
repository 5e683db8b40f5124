import { AppShell, Burger } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useProjectIfAny } from '../app/project.tsx';
import { ConnectionLost, ConnectionState } from './connection-state.tsx';
import classes from './frame.module.css';
import { Navigation } from './navigation.tsx';
import { OpenPalette, useOpenPalette } from './palette/palette-provider.tsx';
import { ProfileMenu } from './profile-menu.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import { useShortcuts } from './shortcuts/use-shortcuts.ts';
import { texts } from './texts.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

const text = texts.frame;

const HEADER_PX = 48;

const ShortcutsHelp = lazy(async () => ({
  default: (await import('./shortcuts/shortcuts-help.tsx')).ShortcutsHelp,
}));

/** Surrounds every page of signed-in users with header and navigation. */
export function Frame({ children }: { children: ReactNode }) {
  const project = useProjectIfAny();
  const [isNavOpen, nav] = useDisclosure(false);
  const openPalette = useOpenPalette();
  const [isHelpOpen, help] = useDisclosure(false);
  useShortcuts({ openPalette, openHelp: help.open });
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const path = useRouterState({ select: (state) => state.location.pathname });
  // Closes the drawer of a phone when another page opens.
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
      <OpenPalette openShortcuts={help.open} />
      {isHelpOpen && (
        <Suspense>
          <ShortcutsHelp onClose={help.close} />
        </Suspense>
      )}
    </AppShell>
  );
}
