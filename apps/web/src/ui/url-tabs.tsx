import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useUrlState } from '../app/url-state.ts';
import classes from './url-tabs.module.css';

export interface UrlTab {
  readonly id: string;
  readonly label: ReactNode;
  /** Rendered only while the tab is open. */
  readonly content: () => ReactNode;
}

/** Tabs with the selection in the URL (`?tab=`); the first one is the default. Back returns to the previous tab. */
export function UrlTabs({ tabs, label }: { tabs: readonly UrlTab[]; label: string }) {
  const url = useUrlState();
  const first = tabs[0]?.id ?? '';
  const asked = url.get('tab');
  const open = tabs.some((tab) => tab.id === asked) ? asked : first;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone the tabs are one scrollable line.
    const current = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (open !== undefined && current && list.current)
      list.current.scrollLeft = current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [open]);
  return (
    <Tabs
      value={open ?? first}
      onChange={(tab) => url.set({ tab: tab === first ? undefined : (tab ?? undefined) }, 'push')}
      keepMounted={false}
    >
      <Tabs.List ref={list} aria-label={label} mb="md" className={classes.list}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.id} value={tab.id}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.id} value={tab.id} className={classes.panel}>
          {tab.id === open ? tab.content() : null}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
