import { client } from './client.tsx';
import { enrolment } from './enrolment.tsx';
import { pages } from './pages.tsx';

export const clients = { ...client, ...enrolment, ...pages };
