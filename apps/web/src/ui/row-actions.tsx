import { ActionIcon, Button, Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDots } from '@tabler/icons-react';
import { texts } from '../texts/index.ts';
import classes from './row-actions.module.css';

interface RowAction {
  readonly word: string;
  /** With the name of the row, for screen readers. */
  readonly label: string;
  /** undefined: not offered. */
  readonly onClick: (() => void) | undefined;
}

interface RowActionsProps {
  /** Name of the row. */
  readonly of: string;
  readonly actions: readonly RowAction[];
}

const PHONE = '(max-width: 640px)';

/** Actions of a row: buttons in one line, or a menu on a phone if there are more than two. */
export function RowActions({ of, actions }: RowActionsProps) {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const offered = actions.filter(({ onClick }) => onClick !== undefined);
  if (isPhone && offered.length > 2)
    return (
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" aria-label={texts.ui.rowActions.of(of)}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {offered.map(({ word, onClick }) => (
            <Menu.Item key={word} onClick={onClick}>
              {word}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    );
  return (
    <span className={classes.actions}>
      {offered.map(({ word, label: name, onClick }) => (
        <Button key={word} variant="default" size="compact-xs" aria-label={name} onClick={onClick}>
          {word}
        </Button>
      ))}
    </span>
  );
}
