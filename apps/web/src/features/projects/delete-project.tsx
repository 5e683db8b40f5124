import { Button, Group, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { ApiError, call, invalidate, loadSession, routes } from '../../api/index.ts';
import { Notice, Problem, sayDone, useKept, useSending } from '../../ui/index.ts';
import { nameContent, readContents } from './contents.ts';
import type { Project } from './project-columns.tsx';
import classes from './projects.module.css';

interface DeleteProjectProps {
  readonly project: Project | undefined;
  readonly onClose: () => void;
}

/** Only an empty project can be deleted: the controller says what is still in it. */
export function DeleteProject({ project, onClose }: DeleteProjectProps) {
  const shown = useKept(project);
  return (
    <Modal
      opened={project !== undefined}
      onClose={onClose}
      title={
        <>
          Delete <bdi>{shown?.name}</bdi>?
        </>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {shown && <DeleteForm key={shown.id} project={shown} onClose={onClose} />}
    </Modal>
  );
}

function DeleteForm({ project, onClose }: { project: Project; onClose: () => void }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const contents = sending.error instanceof ApiError ? readContents(sending.error.body) : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isDeleted = await sending.send(() =>
      call(routes.project.delete, { params: { project_id: project.id } }, { ifMatch: `"${project.revision}"` }),
    );
    if (!isDeleted) {
      await invalidate(queryClient, routes.project.list);
      return;
    }
    onClose();
    sayDone(`Project ${project.name} is deleted.`);
    await loadSession();
    await invalidate(queryClient, routes.project.list, routes.user.list);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <ul className={classes.bullets}>
          <li>It must be empty: without services, clients, resources and policies.</li>
          <li>
            Its memberships and its API and enrolment tokens are deleted with it, for good. Accounts stay, and so does
            the audit log.
          </li>
        </ul>
        {contents && (
          <Notice tone="warn" title="The project is not empty">
            It still holds{' '}
            {contents.map((content, index) => (
              <span key={content.kind}>
                {index > 0 && ', '}
                <ContentLink project={project.name} kind={content.kind}>
                  {nameContent(content)}
                </ContentLink>
              </span>
            ))}
            . Remove them first.
          </Notice>
        )}
        {sending.error !== undefined && !contents && (
          <Problem error={sending.error} what="The project was not deleted" />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button type="submit" color="red.9" loading={sending.isBusy}>
            Delete the project
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ContentLink({ project, kind, children }: { project: string; kind: string; children: React.ReactNode }) {
  switch (kind) {
    case 'services':
      return (
        <Link to="/p/$project/services" params={{ project }}>
          {children}
        </Link>
      );
    case 'clients':
      return (
        <Link to="/p/$project/clients" params={{ project }}>
          {children}
        </Link>
      );
    case 'policies':
      return (
        <Link to="/p/$project/policies" params={{ project }}>
          {children}
        </Link>
      );
    default:
      return (
        <Link to="/p/$project/resources/$collection" params={{ project, collection: 'listeners' }}>
          {children}
        </Link>
      );
  }
}
