// What `/targets` gives and takes is what the official packages declare.

import type Anthropic from "@anthropic-ai/sdk";
import type { Tool as AGUITool, ToolMessage as AGUIToolMessage } from "@ag-ui/core";
import type { Tool as AssistantUITool } from "@assistant-ui/react";
import type { Content, ToolListUnion } from "@google/genai";
import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { ToolMessage } from "@langchain/core/messages";
import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
import type { AbstractChat, ModelMessage, ToolSet, UIMessage } from "ai";
import type OpenAI from "openai";
import { projectTools } from "agent-surface-wasm/targets";
import type { AgentToolset } from "agent-surface-wasm";

declare const toolset: AgentToolset;
declare const answered: unknown;
type UseChatHelpers = AbstractChat<UIMessage>;

const anthropic = projectTools(toolset, { target: "anthropic", tools: { a: { strict: true } } });
export const anthropicTools: Anthropic.ToolUnion[] = anthropic.tools();
export const anthropicMessages: Anthropic.MessageParam[] = (await anthropic.answer(answered)).messages;

const responses = projectTools(toolset, { target: "openai-responses" });
export const responsesTools: OpenAI.Responses.Tool[] = responses.tools();
export const responsesInput: OpenAI.Responses.ResponseInput = (await responses.answer(answered)).messages;

const chat = projectTools(toolset, { target: "openai-chat" });
export const chatTools: OpenAI.Chat.ChatCompletionTool[] = chat.tools();
export const chatMessages: OpenAI.Chat.ChatCompletionMessageParam[] = (await chat.answer(answered)).messages;

const gemini = projectTools(toolset, { target: "gemini", schema: "gemini-json" });
export const geminiTools: ToolListUnion = gemini.tools() as ToolListUnion;
export const geminiContents: Content[] = (await gemini.answer(answered)).messages;

const ai = projectTools(toolset, { target: "ai-sdk" });
export const aiTools: ToolSet = ai.tools();
export const aiMessages: ModelMessage[] = (await ai.answer(answered)).messages;

declare const addToolOutput: UseChatHelpers["addToolOutput"];
for (const output of (await ai.answer(answered)).outputs ?? []) void addToolOutput(output);

const langchain = projectTools(toolset, { target: "langchain" });
export const langchainTools: BindToolsInput[] = langchain.tools();
export const langchainMessages: ToolMessage[] = (await langchain.answer(answered)).messages.map((fields) => new ToolMessage(fields));

const assistant = projectTools(toolset, { target: "assistant-ui" });
export const assistantTools: Record<string, AssistantUITool> = assistant.tools() as Record<string, AssistantUITool>;

const agui = projectTools(toolset, { target: "ag-ui" });
export const aguiTools: AGUITool[] = agui.tools();
export const aguiMessages: AGUIToolMessage[] = (await agui.answer(answered)).messages;

const mcp = projectTools(toolset, { target: "mcp" });
export const mcpTools: McpTool[] = mcp.tools();
const [result] = (await mcp.answer(answered)).messages;
if (result && !("error" in result)) {
  const typed: CallToolResult = result;
  void typed;
}

// @ts-expect-error -- no such target
projectTools(toolset, { target: "clippy" });
