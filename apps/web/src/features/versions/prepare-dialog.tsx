import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Confirm, useKept, useWrite } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts.prepare;

interface PrepareDialogProps {
  /** Undefined closes the dialog. */
  readonly version: string | undefined;
  readonly onClose: () => void;
}

/** Says what a preparation does, and starts it. */
export function PrepareDialog({ version, onClose }: PrepareDialogProps) {
  const project = useProject();
  const write = useWrite();
  const shown = useKept(version);
  if (shown === undefined) return null;
  const prepare = async () => {
    await write(
      routes.version.prepare,
      { query: { project: project.id }, body: { version: shown } },
      { done: ({ job }) => text.done(shown, job.number), stale: [routes.version.list, routes.job.list] },
    );
  };
  return (
    <Confirm
      opened={version !== undefined}
      title={text.title(shown)}
      action={text.action}
      onConfirm={prepare}
      onClose={onClose}
    >
      {text.text}
    </Confirm>
  );
}
