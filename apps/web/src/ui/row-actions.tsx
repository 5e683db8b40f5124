import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { Confirm, type ConfirmProps } from './confirm.tsx';
import { texts } from './texts.tsx';

type Question = Pick<ConfirmProps, 'title' | 'children' | 'isDangerous' | 'onConfirm'>;

interface Name {
  readonly word: string;
  /** Accessible label, which contains the name of the row. */
  readonly label: string;
}

/** undefined: the action is not offered. */
type Effect =
  | { readonly onClick: (() => void) | undefined; readonly confirm?: never }
  | { readonly confirm: Question | undefined; readonly onClick?: never };

type RowAction = Name & Effect;

interface RowActionsProps {
  /** Name of the row. */
  readonly of: string;
  readonly actions: readonly RowAction[];
}

const PHONE = '(max-width: 640px)';

/**
 * Actions of a row: buttons in one line, or a menu on a phone if there are more than two. Actions with `confirm` are for plain tables and
 * lists: in a `DataTable`, keys pressed in the dialog would also move between rows.
 */
export function RowActions({ of, actions }: RowActionsProps) {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const [asked, setAsked] = useState<string>();
  const offered = actions.filter(({ onClick, confirm }) => onClick ?? confirm);
  const press = ({ word, onClick }: RowAction) => (onClick ? onClick() : setAsked(word));
  return (
    <>
      {isPhone && offered.length > 2 ? (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" aria-label={texts.rowActions.of(of)}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {offered.map((action) => (
              <Menu.Item key={action.word} onClick={() => press(action)}>
                {action.word}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : (
        <Group component="span" display="inline-flex" gap={4} wrap={isPhone ? 'wrap' : 'nowrap'}>
          {offered.map((action) => (
            <Button
              key={action.word}
              variant="default"
              size="compact-xs"
              aria-label={action.label}
              onClick={() => press(action)}
            >
              {action.word}
            </Button>
          ))}
        </Group>
      )}
      {offered.map(
        ({ word, confirm }) =>
          confirm && (
            <Confirm
              key={word}
              {...confirm}
              action={word}
              opened={asked === word}
              onClose={() => setAsked(undefined)}
            />
          ),
      )}
    </>
  );
}
