/**
 * The door sequitur/otel: spans and metrics of runs over OTLP/HTTP, to whatever collects them. The one file that knows Effect's
 * exporters, which are not stable yet.
 */
import type * as Duration from "effect/Duration"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import type { TelemetryLayer } from "./telemetry.ts"

export interface OtlpOptions {
  /** Of the collector: `http://localhost:4318`. Spans go to `/v1/traces` there, metrics to `/v1/metrics`. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Default `sequitur`. */
  readonly serviceName?: string
  readonly serviceVersion?: string
  /** How often what was collected is sent. Default: spans every 5 seconds, metrics every 10. */
  readonly every?: Duration.Input
}

/** For `createRunner` and `createWorker`: `telemetry: otlp({ url: "http://localhost:4318" })`. What is left is sent when they close, within a second. */
export function otlp({ url, headers, serviceName = "sequitur", serviceVersion, every }: OtlpOptions): TelemetryLayer {
  const base = url.replace(/\/+$/, "")
  const resource = { serviceName, serviceVersion }
  const sending = { resource, headers, shutdownTimeout, ...(every === undefined ? {} : { exportInterval: every }) }
  return Layer.mergeAll(
    OtlpTracer.layer({ url: `${base}/v1/traces`, ...sending }),
    OtlpMetrics.layer({ url: `${base}/v1/metrics`, ...sending }),
  ).pipe(
    Layer.provide(OtlpExporter.layerFlusher),
    Layer.provide(OtlpSerialization.layerJson),
    Layer.provide(FetchHttpClient.layer),
  )
}

/** A collector that is down holds nobody up for longer: once for spans, once for metrics. */
const shutdownTimeout: Duration.Input = "500 millis"
