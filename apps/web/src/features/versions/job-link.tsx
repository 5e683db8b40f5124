import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import { texts } from './texts.ts';

export function JobLink({ number }: { number: number }) {
  const project = useProject();
  return (
    <Link to="/p/$project/jobs/$jobId" params={{ project: project.name, jobId: String(number) }}>
      {texts.documents.job(number)}
    </Link>
  );
}
