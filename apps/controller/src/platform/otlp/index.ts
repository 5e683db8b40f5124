export { OtlpExporter } from './exporter.ts';
export { LogQueue } from './logs-queue.ts';
