// The app on a server.

import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { App } from "./react-app.js";

export const render = () => renderToString(createElement(App, { registry: undefined }));
