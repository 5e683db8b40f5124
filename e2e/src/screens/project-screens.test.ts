import { describeScreens } from './describe-screens.ts';
import { listProjectScreens } from './project-screens.ts';

describeScreens(listProjectScreens);
