import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { MEMBER_ORDER } from '../../../editor/policy/policy-messages.ts';
import classes from './form.module.css';
import { usePolicyForm } from './form-context.ts';
import { addItem, removeItem } from './list-edits.ts';
import { formatPlace } from './place.ts';
import type { DomainView } from './policy-view.ts';
import { RoutePart } from './route-part.tsx';
import { texts } from './texts.tsx';

const text = texts.routeList;

interface RouteListProps {
  readonly domain: DomainView;
  readonly index: number;
  readonly open: number | undefined;
  readonly onOpen: (at: string | undefined) => void;
}

const ROWS_MAX = 60;

/** Lists the path overrides of a domain. */
export function RouteList({ domain, index, open, onOpen }: RouteListProps) {
  const { apply, isReadOnly } = usePolicyForm();
  const [isWhole, setWhole] = useState(false);
  const [added, setAdded] = useState<number>();
  const { routes, path } = domain;
  const at = [...path, 'routes'];
  const shown = routes
    .map((route, row) => ({ route, row }))
    .filter(({ row }) => isWhole || row < ROWS_MAX || row === open);
  const add = () => {
    const value = { match: { path_prefix: '/' }, policy: {} };
    apply([addItem({ path: at, count: routes.length }, value, MEMBER_ORDER)]);
    setAdded(routes.length);
    onOpen(formatPlace(index, routes.length));
  };
  const remove = (row: number) => {
    apply([removeItem({ path: at, count: routes.length }, row, 'none')]);
    onOpen(formatPlace(index));
  };
  return (
    <div>
      <div className={classes.listHead}>
        <h3>{text.countOf(routes.length)}</h3>
        {!isReadOnly && (
          <Button variant="default" size="compact-sm" leftSection={<IconPlus size={13} />} onClick={add}>
            {text.add}
          </Button>
        )}
      </div>
      {routes.length > 1 && <p className={classes.dimmed}>{text.longestWins}</p>}
      {shown.map(({ route, row }) => (
        <RoutePart
          key={row}
          route={route}
          place={formatPlace(index, row)}
          domainMode={domain.effectiveMode}
          domainAnswer={domain.effectiveAnswer}
          isOpen={row === open}
          isNew={row === added}
          onOpen={(isOpen) => onOpen(isOpen ? formatPlace(index, row) : formatPlace(index))}
          onRemove={() => remove(row)}
        />
      ))}
      {shown.length < routes.length && (
        <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
          {texts.domainList.showAll(routes.length)}
        </Button>
      )}
    </div>
  );
}
