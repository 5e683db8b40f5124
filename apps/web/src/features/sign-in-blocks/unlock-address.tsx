import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { RowActions, useWrite } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts.unlock;

export function UnlockAddress({ address }: { address: string }) {
  const can = useCan();
  const write = useWrite();
  const unlock = () =>
    write(
      routes.lockout.end,
      { params: { address }, query: {} },
      { done: text.done(address), stale: [routes.lockout.list] },
    );
  return (
    <RowActions
      of={address}
      actions={[
        {
          word: text.action,
          label: text.label(address),
          confirm: can(routes.lockout.end)
            ? { title: text.title(address), children: text.text, onConfirm: unlock }
            : undefined,
        },
      ]}
    />
  );
}
