import { describeScreens } from './describe-screens.ts';
import { listFleetScreens } from './fleet-screens.ts';

describeScreens(listFleetScreens);
