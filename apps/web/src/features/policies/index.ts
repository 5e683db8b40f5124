export { TrafficChart, Unplaced } from './traffic/traffic-chart.tsx';
