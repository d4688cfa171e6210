// Package tool holds what the model may ask for: search_knowledge_base,
// list_documents, analyze_document, compare_documents, calculator and
// current_time. Each is one Go file with its description for the model beside
// it.
//
// Arguments come from a model and are data: whatever is wrong with them becomes
// an output that says so, never an error. A document outside the scope of the
// run does not exist for any tool.
package tool
