// The one place that knows where the package is served: everything else imports its names from here.
export * from "/pkg/dist/index.js";
