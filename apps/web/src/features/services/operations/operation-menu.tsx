import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconChevronDown, IconDots } from '@tabler/icons-react';
import { Fragment, type ReactNode, useRef } from 'react';
import { OPERATIONS, type Operation, type OperationId } from './operations.ts';

const GROUPS: readonly (readonly OperationId[])[] = [
  ['start', 'reload', 'restart', 'stop'],
  ['bootstrap', 'version', 'status'],
  ['deploy', 'undeploy'],
];

interface OperationMenuProps {
  readonly label: string;
  /** Only dots, for lists; the label is its name. */
  readonly isSmall?: boolean;
  /** Left out of the menu: shown as a button beside it. */
  readonly without?: readonly OperationId[];
  /** Nothing is deployed: what needs a node is not offered. */
  readonly hasNodes: boolean;
  readonly onChoose: (operation: Operation) => void;
  readonly more?: ReactNode;
}

export function OperationMenu({ label, isSmall, without = [], hasNodes, onChoose, more }: OperationMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const shown = GROUPS.map((ids) =>
    OPERATIONS.filter(({ id, fits }) => ids.includes(id) && !without.includes(id) && (hasNodes || fits === 'any')),
  ).filter((group) => group.length > 0);
  // The dialog gives the focus back to what had it; the item is gone by then.
  const choose = (operation: Operation) => {
    button.current?.focus();
    onChoose(operation);
  };
  if (shown.length === 0 && !more) return null;
  return (
    <Menu position="bottom-end" withArrow withInitialFocusPlaceholder={false}>
      <Menu.Target>
        {isSmall ? (
          <ActionIcon ref={button} aria-label={label}>
            <IconDots size={16} />
          </ActionIcon>
        ) : (
          <Button ref={button} variant="default" rightSection={<IconChevronDown size={14} />}>
            {label}
          </Button>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map((group, index) => (
          <Fragment key={group[0]?.id}>
            {index > 0 && <Menu.Divider />}
            {group.map((operation) => (
              <Menu.Item key={operation.id} onClick={() => choose(operation)}>
                {operation.label} …
              </Menu.Item>
            ))}
          </Fragment>
        ))}
        {more && (
          <>
            {shown.length > 0 && <Menu.Divider />}
            {more}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
